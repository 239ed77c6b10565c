// Limited guesses whose counters are on a server.
import { expect, test } from 'vitest'
import type { CounterStore } from '../../../src/types.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { PASSWORDS, guessing } from '../../behaviour/guessing.ts'
import { SERVERS, migratedDatabaseUrl, opened } from '../../setup/databases.ts'
import { openCounters, sharedRedis } from '../../setup/redis.ts'

async function countersOf(store: (typeof SERVERS)[number] | 'redis'): Promise<CounterStore> {
  if (store === 'redis') return openCounters(await sharedRedis())
  return (opened(store, await migratedDatabaseUrl(store)) as SqlDatabase).counters
}

test.each([...SERVERS, 'redis'] as const)(
  'sixty guesses at once cost five hashes, and the owner gets in at home: %s',
  async (store) => {
    const counters = await countersOf(store)
    const { logIn, queue } = await guessing({ rate: '5/10m', counters, onStoreError: 'deny' })
    expect(await logIn('192.0.2.1', 'ada', PASSWORDS.ada)).toBe('200')
    queue.hashed = 0
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => logIn(`10.0.0.${at}`, 'ada', `wrong ${at}`)),
    )
    // On a busy machine some may be 503, because the store has not answered in time.
    const answered = answers.filter((answer) => !answer.startsWith('503'))
    expect(new Set(answered)).toEqual(new Set(['400', '429 600']))
    expect(answers.filter((answer) => answer === '400').length).toBeLessThanOrEqual(5)
    expect(queue.hashed).toBeLessThanOrEqual(5)
    const atHome = () => logIn('192.0.2.1', 'ada', PASSWORDS.ada)
    await expect.poll(atHome).toBe('200')
  },
)
