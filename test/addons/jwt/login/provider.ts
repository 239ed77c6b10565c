// A real provider by HTTP: in the process of a test, or in one of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Configuration } from 'oidc-provider'

export const CLIENT = { id: 'books', secret: 'a secret of the client' }

export interface RealProvider {
  readonly issuer: string
  readonly server: Server
  /** Who logs in there next. */
  person: string
  /** Begins to answer, for a service at this address under that name. */
  know(service: string, name: string): Provider
  close(): void
}

/** `oidc-provider` from npm, whose people log in and consent at once. */
export async function realProvider(
  options: Configuration = {},
  host = '127.0.0.1',
): Promise<RealProvider> {
  // It warns that it is a provider for tests.
  Object.assign(console, { info: () => {}, warn: () => {} })
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const real: RealProvider = {
    issuer,
    server,
    person: 'ada',
    know(service, name) {
      const at = `${service}/login/${name}/`
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            redirect_uris: [`${at}callback/`],
            post_logout_redirect_uris: [`${service}/login/`],
            backchannel_logout_uri: `${at}logged-out/`,
          },
        ],
        cookies: { keys: ['a key of the provider'] },
        claims: { email: ['email'], profile: ['name'] },
        conformIdTokenClaims: false,
        findAccount: (_, accountId) => ({
          accountId,
          claims: () => ({ sub: accountId, email: `${accountId}@example.com`, name: accountId }),
        }),
        features: {
          devInteractions: { enabled: false },
          backchannelLogout: { enabled: true },
          rpInitiatedLogout: { enabled: true },
        },
        // By default it asks no address of this machine.
        fetch: (url, init) => fetch(url, { ...init, dispatcher: undefined } as RequestInit),
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        ...options,
      })
      const callback = provider.callback()
      server.on('request', (request, response) => {
        if (!request.url!.startsWith('/interaction/')) return void callback(request, response)
        void (async () => {
          const { prompt, params, session } = await provider.interactionDetails(request, response)
          const finish = (result: object) =>
            provider.interactionFinished(request, response, result as never)
          if (prompt.name === 'login') return finish({ login: { accountId: real.person } })
          const grant = new provider.Grant({
            accountId: session!.accountId,
            clientId: params['client_id'] as string,
          })
          grant.addOIDCScope(params['scope'] as string)
          return finish({ consent: { grantId: await grant.save() } })
        })()
      })
      return provider
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return real
}

/** The same in a process of its own, at an address of its own: no cookie of one host is that of another. */
export async function providerProcess(host: string) {
  const child = fork(import.meta.filename, [host], { execArgv: [], silent: true })
  const answered = async (message: object): Promise<{ readonly issuer: string }> => {
    child.send(message)
    const [answer] = await once(child, 'message')
    return answer
  }
  const { issuer } = await answered({})
  return {
    issuer,
    know: (...known: readonly [service: string, name: string]) => answered({ known }),
    /** Who logs in there next. */
    turn: (person: string) => answered({ person }),
    close: () => void child.kill(),
  }
}

interface Sent {
  readonly known?: readonly [service: string, name: string]
  readonly person?: string
}

if (import.meta.main) {
  const real = await realProvider({}, process.argv[2])
  process.on('message', ({ known, person }: Sent) => {
    if (known !== undefined) real.know(...known)
    if (person !== undefined) real.person = person
    process.send!({ issuer: real.issuer })
  })
  process.on('disconnect', () => process.exit())
}
