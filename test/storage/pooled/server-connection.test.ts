import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ConnectionSilent, serverFailures } from '../../../src/storage/pooled/failures.ts'
import {
  ServerConnection,
  type ServerDriver,
} from '../../../src/storage/pooled/server-connection.ts'
import { outcomes } from '../../contract/shared-work.ts'

/** Milliseconds. */
const PATIENCE = 300

/** A server that answers each statement so many milliseconds, its text, after the one before. */
function connection(): Pick<ServerConnection<object, string>, 'execute'> {
  let before: Promise<unknown> = Promise.resolve()
  const fails = () => Promise.reject(new Error('Nobody asks for this.'))
  const driver: ServerDriver<never, object, string> = {
    system: 'test',
    acquire: fails,
    release: () => undefined,
    identity: (client) => client,
    run: (_client, { sql }) => {
      const answer = before.then(() => sleep(Number(sql), sql))
      before = answer
      return answer
    },
    send: fails,
    toExecution: (result) => ({ columns: ['took'], values: [[result]], changes: null }),
    columnsOf: fails,
    beginning: () => [],
    takesSeveral: false,
    unhurried: '',
    gaveUp: () => false,
    failures: serverFailures({ meanings: [], codeOf: () => '', isLoss: () => false }),
  }
  return new ServerConnection({}, driver, {
    place: 'nowhere',
    patience: PATIENCE,
    release: () => undefined,
  })
}

const run = (milliseconds: number) => ({ sql: `${milliseconds}`, parameters: [] })

test('the time of a statement begins when the one before it is answered', async () => {
  const line = connection()
  const found = await Promise.all([200, 201, 202].map((takes) => line.execute(run(takes))))
  expect(found.map(({ values }) => values[0]![0])).toEqual(['200', '201', '202'])
})

test('where one is not answered, those behind it are given up with it', async () => {
  const line = connection()
  const [first, ...others] = await outcomes([1000, 1, 1].map((takes) => line.execute(run(takes))))
  expect(first).toBeInstanceOf(ConnectionSilent)
  // Not after times of their own.
  expect(others.every((failure) => failure === first)).toBe(true)
})
