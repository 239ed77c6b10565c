export type { IoredisClient, NodeRedisClient, RedisClient } from './storage/redis/client.ts'
export {
  redisCounters,
  type RedisClientOption,
  type RedisCounters,
  type RedisOptions,
  type RedisStoreOptions,
  type RedisUrlOptions,
} from './storage/redis/counters.ts'
