// A service that limits wrong credentials, and people who ask it from several places.
import { HashQueue } from '../../src/accounts/passwords/hash-queue.ts'
import type { Requester } from '../../src/core/ports/credentials.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  AuthenticationFailed,
  BasicAuthentication,
  type Endpoint,
  type Incoming,
  MemoryCounters,
  TokenAuthentication,
  configurationOf,
  defineApi,
  loginSession,
  obtainToken,
  showSession,
} from '../../src/index.ts'
import type { Authenticator, CounterStore, Rate } from '../../src/types.ts'
import { client, fakeClock } from '../../src/testing.ts'
import { type TestAccounts, openAccounts } from '../accounts/fixtures.ts'

/** Counts what is really hashed. */
export class CountingQueue extends HashQueue {
  hashed = 0

  override async run<T>(work: () => Promise<T>, requester?: Requester): Promise<T> {
    const done = await super.run(work, requester)
    this.hashed++
    return done
  }
}

export const PASSWORDS = { ada: 'analytical engine', bob: 'bobbins', eve: 'eavesdrop' } as const

/** A scheme of an application, which knows nothing of limits. */
class PinAuthentication implements Authenticator {
  authenticate(request: Incoming) {
    const pin = request.header('x-pin')
    if (pin === null) return null
    if (pin !== '1234') throw new AuthenticationFailed()
    return { user: { isAuthenticated: true, id: 9 }, auth: null }
  }

  authenticateHeader(): string {
    return 'Pin'
  }
}

export interface GuessingOptions {
  readonly rate?: Rate | null
  readonly counters?: CounterStore
  /** Shared by several processes. */
  readonly people?: People
  readonly running?: number
  readonly onStoreError?: 'allow' | 'deny' | 'local'
  /** Of the endpoint `own`. */
  readonly own?: Rate | null
}

export interface People {
  readonly accounts: TestAccounts
  readonly queue: CountingQueue
}

export async function openPeople(running = 3, rememberPasswords = 0): Promise<People> {
  const queue = new CountingQueue({ running, waiting: 2000, waitingEach: 2000, patience: 300_000 })
  const accounts = await openAccounts({ hashQueue: queue, rememberPasswords })
  for (const [username, password] of Object.entries(PASSWORDS))
    await accounts.users.create({ username, password })
  const gone = await accounts.users.create({ username: 'gone', password: 'x', isActive: false })
  await accounts.tokens.create(gone, 'b'.repeat(40))
  await accounts.tokens.create((await accounts.users.byUsername('ada'))!, 'a'.repeat(40))
  queue.hashed = 0
  return { accounts, queue }
}

/** Answers are written as status and `Retry-After`: `429 600`. */
export async function guessing(options: GuessingOptions = {}) {
  const { rate = '3/10m', counters = new MemoryCounters(), running = 3, own = null } = options
  const { accounts, queue } = options.people ?? (await openPeople(running))
  const clock = fakeClock(1_000_000_000)
  const log: Readonly<Record<string, unknown>>[] = []
  const api = defineApi({
    urls: {
      ...loginUrls,
      token: '/token/',
      own: '/own/',
      session: '/session/',
      basic: '/basic/',
      key: '/key/',
      pin: '/pin/',
    },
    accounts,
    counters,
    now: clock.now,
    credentialFailures: rate,
    onStoreError: options.onStoreError ?? 'local',
    logger: {
      error: (record) => void log.push(record),
      info: (record) => void log.push({ ...record, level: 'info' }),
    },
  })
  const { users, tokens } = accounts
  const nameOf = ({ user }: { readonly user: unknown }): unknown =>
    (user as { username?: string } | null)?.username ?? null
  const endpoints: Endpoint<never>[] = [
    ...loginPages(api, { accounts }),
    api.endpoint('token').post(obtainToken({ accounts })),
    api.endpoint('own', { credentialFailures: own }).post(obtainToken({ accounts })),
    api.endpoint('session').get(showSession({ accounts })).post(loginSession({ accounts })),
    api.endpoint('basic', { authentication: [new BasicAuthentication({ users })] }).get(nameOf),
    api.endpoint('key', { authentication: [new TokenAuthentication({ tokens })] }).get(nameOf),
    api.endpoint('pin', { authentication: [new PinAuthentication()] }).get(nameOf),
  ]
  const app = api.serve(endpoints, {
    configuration: configurationOf({ SECRET_KEY: 'a secret of these tests' }),
  })
  const { get, post } = client(app)
  const shown = (response: Awaited<ReturnType<typeof get>>): string =>
    [response.status, response.header('retry-after')].filter(Boolean).join(' ')
  const from = (place: string) => ({ environ: { REMOTE_ADDR: place } })
  const logIn = async (
    place: string,
    username: string,
    password: string,
    path = '/token/',
  ): Promise<string> => shown(await post(path, { ...from(place), json: { username, password } }))
  const basic = async (place: string, username: string, password: string): Promise<string> => {
    const authorization = `Basic ${btoa(`${username}:${password}`)}`
    return shown(await get('/basic/', { ...from(place), headers: { authorization } }))
  }
  const key = async (place: string, word: string): Promise<string> => {
    const authorization = `Token ${word}`
    return shown(await get('/key/', { ...from(place), headers: { authorization } }))
  }
  const pin = async (place: string, word: string): Promise<string> =>
    shown(await get('/pin/', { ...from(place), headers: { 'x-pin': word } }))
  return { accounts, app, basic, clock, counters, from, get, key, log, logIn, pin, post, queue }
}

/** Wrong passwords, each another one. */
export async function guess(
  attempt: (password: string) => Promise<string>,
  times: number,
): Promise<string[]> {
  const answers: string[] = []
  for (let at = 0; at < times; at++) answers.push(await attempt(`guess ${next++}`))
  return answers
}

let next = 0
