import { describe, expect, test } from 'vitest'
import { ConnectionLost } from '../../../src/storage/sql/sql-database.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { BATCHES } from '../../../src/accounts/tables/sql-store.ts'
import { Batch } from '../../../src/core/std/batch.ts'
import { nextTurn } from '../../contract/temporary.ts'

/** A database that answers when it is told to: `key` is found as `found key`, unless it begins with `no`. */
class Slow {
  readonly queries: string[][] = []
  readonly #answers: (() => void)[] = []
  failures: (keys: readonly string[]) => Error | null = () => null

  readonly find = async (keys: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    this.queries.push([...keys])
    await new Promise<void>((resolve) => this.#answers.push(resolve))
    const failure = this.failures(keys)
    if (failure !== null) throw failure
    return new Map(keys.filter((key) => !key.startsWith('no')).map((key) => [key, `found ${key}`]))
  }

  async answerNext(): Promise<void> {
    this.#answers.shift()!()
    await nextTurn()
  }

  async answerAll(): Promise<void> {
    await nextTurn()
    while (this.#answers.length > 0) await this.answerNext()
  }
}

function started() {
  const database = new Slow()
  return { database, batch: new Batch(database.find, BATCHES) }
}

describe('look-ups that wait at the same moment', () => {
  test('of one turn are one query, and each gets its own answer', async () => {
    const { database, batch } = started()
    const answers = Promise.all(['a', 'nobody', 'b'].map((key) => batch.lookUp(key)))
    expect(database.queries).toEqual([])
    await database.answerAll()
    expect(database.queries).toEqual([['a', 'nobody', 'b']])
    expect(await answers).toEqual(['found a', null, 'found b'])
  })

  test('leave at once where little is under way, together where much is', async () => {
    const { database, batch } = started()
    for (const key of ['a', 'b', 'c', 'd']) {
      void batch.lookUp(key)
      await nextTurn()
    }
    expect(database.queries).toEqual([['a'], ['b']])
    await database.answerNext()
    expect(database.queries).toEqual([['a'], ['b'], ['c', 'd']])
    await database.answerAll()
  })

  test('for one key ask once', async () => {
    const { database, batch } = started()
    const answers = Promise.all([batch.lookUp('a'), batch.lookUp('a'), batch.lookUp('a')])
    await database.answerAll()
    expect(database.queries).toEqual([['a']])
    expect(await answers).toEqual(['found a', 'found a', 'found a'])
  })

  test('are never answered by a query that was sent before', async () => {
    const { database, batch } = started()
    void batch.lookUp('a')
    await nextTurn()
    void batch.lookUp('a')
    await nextTurn()
    expect(database.queries).toEqual([['a'], ['a']])
    await database.answerAll()
  })

  test('go in groups of at most 512', async () => {
    const { database, batch } = started()
    const keys = Array.from({ length: 1100 }, (_, index) => `k${index}`)
    const answers = Promise.all(keys.map((key) => batch.lookUp(key)))
    await database.answerAll()
    expect(database.queries.map((query) => query.length)).toEqual([512, 512, 76])
    expect(await answers).toEqual(keys.map((key) => `found ${key}`))
  })

  test('do not wait for ever behind queries that do not come back', async () => {
    const { database, batch } = started()
    for (const key of ['a', 'b', 'c']) {
      void batch.lookUp(key)
      await nextTurn()
    }
    expect(database.queries).toHaveLength(2)
    await expect.poll(() => database.queries).toContainEqual(['c'])
    await database.answerAll()
  })
})

describe('a joint query that fails', () => {
  test('fails for the key that is to blame, and for nobody else', async () => {
    const { database, batch } = started()
    database.failures = (keys) => (keys.includes('poison') ? new Error('Bad key.') : null)
    const answers = Promise.allSettled(['a', 'poison', 'b'].map((key) => batch.lookUp(key)))
    await database.answerAll()
    expect(database.queries).toEqual([['a', 'poison', 'b'], ['a'], ['poison'], ['b']])
    expect(await answers).toMatchObject([
      { status: 'fulfilled', value: 'found a' },
      { status: 'rejected', reason: { message: 'Bad key.' } },
      { status: 'fulfilled', value: 'found b' },
    ])
  })

  test('because its connection broke is tried again, once', async () => {
    const { database, batch } = started()
    let losses = 0
    database.failures = () => (losses++ < 2 ? new ConnectionLost('here', new Error('Gone.')) : null)
    const answers = Promise.allSettled(['a', 'b'].map((key) => batch.lookUp(key)))
    await database.answerAll()
    expect(await answers).toMatchObject([
      { status: 'rejected', reason: { name: 'DatabaseUnavailable' } },
      { status: 'fulfilled', value: 'found b' },
    ])
    expect(database.queries).toEqual([['a', 'b'], ['a'], ['b']])
  })

  test('because there is no database fails for everybody, at once', async () => {
    const { database, batch } = started()
    database.failures = () => new DatabaseUnavailable('Not there.')
    const answers = Promise.allSettled(['a', 'b'].map((key) => batch.lookUp(key)))
    await database.answerAll()
    expect(database.queries).toHaveLength(1)
    for (const answer of await answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { message: 'Not there.' } })
    }
  })

  test('stops nobody who comes later', async () => {
    const { database, batch } = started()
    database.failures = (keys) => (keys.includes('poison') ? new Error('Bad key.') : null)
    const refused = Promise.allSettled([batch.lookUp('poison')])
    await database.answerAll()
    expect(await refused).toMatchObject([{ reason: { message: 'Bad key.' } }])
    const later = batch.lookUp('a')
    await database.answerAll()
    expect(await later).toBe('found a')
  })

  test('fails for all of its keys where none is looked up alone', async () => {
    const { database } = started()
    const batch = new Batch(database.find)
    database.failures = () => new Error('Bad key.')
    const answers = Promise.allSettled(['a', 'b'].map((key) => batch.lookUp(key)))
    await database.answerAll()
    expect(database.queries).toEqual([['a', 'b']])
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
