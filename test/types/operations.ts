// Around an application: configuration, doors, tests.
import { type App, type Configuration, configurationOf, readConfiguration } from 'colophon'
import type { Kernel } from 'colophon/types'
import { type RunningServer, serve, toListener } from 'colophon/node'
import { type TestResponse, client, fakeClock } from 'colophon/testing'
import { type Equal, expectType } from './expect.ts'
import { api } from './fixtures.ts'

export function configuration(said: Configuration): void {
  // a configuration is read, or made
  expectType<Equal<ReturnType<typeof readConfiguration>, Configuration>>()
  expectType<Equal<ReturnType<typeof configurationOf>, Configuration>>()
  // what is said for the whole service has its type
  expectType<Equal<typeof said.service.port, number>>()
  // a secret may be missing
  expectType<Equal<typeof said.service.secretKey, string | null>>()
  // environment and folder are handed in
  readConfiguration({ cwd: '/srv', env: { COLOPHON_PAGE_SIZE: '20' } })
  // @ts-expect-error the environment holds texts
  readConfiguration({ env: { COLOPHON_PAGE_SIZE: 20 } })
  // @ts-expect-error keys come as an object
  configurationOf('PAGE_SIZE=20')
  // @ts-expect-error it is not changed
  said.service.port = 80
  // @ts-expect-error keys alone are not a configuration
  api.serve([], { configuration: { PAGE_SIZE: 20 } })
}

export async function tests(app: App, kernel: Kernel): Promise<void> {
  const response = await client(app).get('/articles/', { as: { id: 1 }, auth: 'token' })
  // all verbs answer alike
  expectType<Equal<typeof response, TestResponse>>()
  // nobody knows what an application answers
  expectType<Equal<typeof response.data, unknown>>()
  // @ts-expect-error so it is compared, or looked at first
  const { id } = response.data
  // a header may be missing
  expectType<Equal<ReturnType<typeof response.header>, string | null>>()
  // anything that handles requests can be asked
  await client(kernel).request('PURGE', '/articles/', { body: new Uint8Array() })
  // @ts-expect-error an api is not yet an application
  client(api)
  // @ts-expect-error the option is called `json`
  await client(app).post('/articles/', { data: {} })
  // @ts-expect-error a form holds texts
  await client(app).post('/articles/', { form: { id: 7 } })
  // @ts-expect-error a path is a text
  await client(app).get(new URL('http://localhost/'))
  // a clock tells milliseconds
  expectType<Equal<ReturnType<ReturnType<typeof fakeClock>['now']>, number>>()
  return void id
}

export async function doors(app: App): Promise<void> {
  const server = await serve(app, { port: 0 })
  // a server that listens
  expectType<Equal<typeof server, RunningServer>>()
  // @ts-expect-error an api does not listen
  await serve(api)
  // @ts-expect-error a port is a number
  await serve(app, { port: '80' })
  // it can be mounted where a listener is wanted
  toListener(app)
  // and asked as the web asks
  expectType<Equal<ReturnType<typeof app.fetch>, Promise<Response>>>()
  // by whoever vouches for facts of the request
  await app.fetch(new Request('http://localhost/'), { environ: { REMOTE_USER: 'ada' } })
  // runtimes that hand in their own things take it as it is
  const serveBun: (options: {
    fetch(request: Request, server: { readonly port: number }): Response | Promise<Response>
  }) => void = () => {}
  serveBun({ fetch: app.fetch })
}
