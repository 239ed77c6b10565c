export type { IoredisClient, NodeRedisClient, RedisClient } from './databases/redis/client.ts'
export {
  redisCounters,
  type RedisClientOption,
  type RedisCounters,
  type RedisOptions,
  type RedisStoreOptions,
  type RedisUrlOptions,
} from './databases/redis/counters.ts'
