// A service that people log in to with a real provider, both by HTTP, and the browser of a person.
import { secondFactors } from '../../../../src/factors.ts'
import { createAccounts, type AccountsOptions } from '../../../../src/accounts/create-accounts.ts'
import { loginPages, loginUrls, pagePolicy } from '../../../../src/browsable.ts'
import { configurationOf, defineApi } from '../../../../src/index.ts'
import { serve } from '../../../../src/node.ts'
import {
  type LoginProvider,
  type ProviderLoginOptions,
  providerLogin,
  providerUrls,
} from '../../../../src/openid.ts'
import { migratedSqlite } from '../../../contract/temporary.ts'
import { CHEAP } from '../../../accounts/fixtures.ts'
import { CLIENT } from './provider.ts'

export { type RealProvider, realProvider } from './provider.ts'

export interface StageOptions
  extends Partial<AccountsOptions>, Pick<ProviderLoginOptions, 'create' | 'now'> {
  /** Issuers by name. */
  readonly providers: Readonly<Record<string, string>>
  readonly more?: Partial<LoginProvider>
  /** What users with a second factor have to prove. `null`: the provider is enough. @default no one has a factor */
  readonly asks?: 'code' | 'refuses' | null
  /** `credentialFailures` */
  readonly failures?: string
}

/** The service: a login page, a page for users, and log-ins with these providers. */
export async function stage(options: StageOptions) {
  const { providers: issuers, more, create, now, asks, failures, ...own } = options
  const records: Record<string, unknown>[] = []
  const note = (record: object) => void records.push(record as Record<string, unknown>)
  const logger = { error: note, info: note }
  const accounts = createAccounts({
    database: own.database ?? (await migratedSqlite()),
    secretKey: () => 'a secret of the service, for tests',
    passwordCost: CHEAP,
    ...own,
  })
  const providers = Object.fromEntries(
    Object.entries(issuers).map(([name, issuer]) => [
      name,
      { issuer, client: CLIENT, title: name.toUpperCase(), scopes: ['email', 'profile'], ...more },
    ]),
  )
  const factors = asks === undefined ? null : secondFactors({ accounts, issuer: 'Stage' })
  const api = defineApi({
    urls: {
      ...loginUrls,
      ...providerUrls,
      'login-factor': '/login/code/',
      home: '/',
      mine: '/mine/',
    },
    accounts,
    logger,
    ...(failures === undefined ? {} : { credentialFailures: failures }),
  })
  const pages = api.group(pagePolicy({ accounts }))
  const configuration = configurationOf({ SECRET_KEY: 'a secret of the service, for tests' })
  const app = api.serve(
    [
      ...(factors === null
        ? [
            ...loginPages(api, { accounts, providers }),
            api.endpoint('login-factor').get(() => null),
          ]
        : loginPages(api, { accounts, providers, factors })),
      ...providerLogin(api, {
        accounts,
        providers,
        ...(factors && asks !== 'refuses' && { factors: asks === null ? null : factors }),
        ...(create === undefined ? {} : { create }),
        ...(now === undefined ? {} : { now }),
      }),
      pages.endpoint('home').get(({ user }) => `home of ${user.username}`),
      pages.endpoint('mine').get(({ user }) => `what ${user.username} has`),
    ],
    { configuration },
  )
  const server = await serve(app, { port: 0 })
  return { accounts, records, url: server.url, app, close: () => server.close() }
}

export interface Page {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Where a page leads on that must not be a redirect. */
export function onwardsOf({ text }: Page): string {
  return /<a href="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
}

/** Keeps cookies by origin and path as browsers do, and follows redirects until `until` says that it is there. */
export class Visitor {
  readonly jars = new Map<string, Map<string, string>>()

  cookies(url: URL): Map<string, string> {
    const jar = this.jars.get(url.origin) ?? new Map<string, string>()
    this.jars.set(url.origin, jar)
    return jar
  }

  async go(
    address: string | URL,
    {
      form,
      until = () => false,
    }: {
      readonly form?: Readonly<Record<string, string>>
      readonly until?: (url: URL) => boolean
    } = {},
  ): Promise<Page> {
    let url = new URL(address)
    let body = form === undefined ? null : new URLSearchParams(form)
    for (let turns = 0; turns < 20; turns += 1) {
      const answer = await this.#ask(url, body)
      body = null
      const location = answer.headers.get('location')
      const isRedirect = answer.status >= 300 && answer.status < 400 && location !== null
      if (!isRedirect)
        return { url, status: answer.status, headers: answer.headers, text: await answer.text() }
      await answer.body?.cancel()
      const next = new URL(location, url)
      if (until(next))
        return { url: next, status: answer.status, headers: answer.headers, text: '' }
      url = next
    }
    throw new Error(`too many redirects, the last one to ${url.href}`)
  }

  /** Sends a form of a page that this browser has been on. */
  async send(address: string, form: Readonly<Record<string, string>> = {}): Promise<Page> {
    const token = this.cookies(new URL(address)).get('csrftoken') ?? ''
    return this.go(address, { form: { csrfmiddlewaretoken: token, ...form } })
  }

  async #ask(url: URL, body: URLSearchParams | null): Promise<Response> {
    const jar = this.cookies(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, {
      method: body === null ? 'GET' : 'POST',
      redirect: 'manual',
      body,
      headers: { ...(cookie !== '' && { cookie }), ...(body && { origin: url.origin }) },
    })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split(';')
      const [name = '', ...value] = pair.split('=')
      const isOver = attributes.some((each) =>
        /^\s*(?:max-age=0|expires=thu, 01 jan 1970)/i.test(each),
      )
      if (isOver) jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return answer
  }
}
