import { setTimeout as wait } from 'node:timers/promises'
import { type App, type Renderer, configurationOf, defineApi, reply } from '../../src/index.ts'

const streaming: Renderer = {
  mediaType: 'text/plain',
  format: 'txt',
  render: ({ data }) => ReadableStream.from((data as () => AsyncIterable<Uint8Array>)()),
}

/** What a service does that doors have to carry: bodies of all kinds, slowly and all at once. */
export function doorsApp(): App & { readonly log: object[] } {
  const log: object[] = []
  const api = defineApi({
    urls: {
      hello: '/hello/',
      echo: '/echo/',
      unread: '/unread/',
      slow: '/slow/',
      stream: '/stream/',
      broken: '/broken/',
      bytes: '/bytes/',
      created: '/created/',
      where: '/where/',
    },
    logger: { error: (record) => void log.push(record) },
  })
  const app = api.serve(
    [
      api
        .endpoint('hello')
        .get(() => ({ hello: 'wörld' }))
        .delete(() => reply(null, { status: 204 })),
      api.endpoint('echo').post(async (request) => ({ got: await request.body() })),
      api.endpoint('unread').post(() => 'not read'),
      api.endpoint('slow').get(async ({ query }) => {
        await wait(Number(query.get('ms')))
        return 'done'
      }),
      api.endpoint('stream', { renderers: [streaming] }).get(() => chunks),
      api.endpoint('broken', { renderers: [streaming] }).get(() => breaking),
      api
        .endpoint('bytes', {
          renderers: [{ ...streaming, render: () => Buffer.from([1, 2, 255]) }],
        })
        .get(() => 'x'),
      api
        .endpoint('created')
        .post(() => reply({ id: 1 }, { status: 201, headers: { Location: '/1/' } })),
      api.endpoint('where').get(({ reverse, environ, url }) => ({
        link: reverse('where'),
        peer: environ['REMOTE_ADDR'] ?? null,
        path: url.pathname,
      })),
    ],
    {
      configuration: configurationOf({
        DATA_UPLOAD_MAX_MEMORY_SIZE: 1000,
        ALLOWED_HOSTS: ['localhost', '127.0.0.1', '[::1]', 'other'],
      }),
    },
  )
  return Object.assign(Object.create(app) as App, { log })
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one ')
  await wait(5)
  yield Buffer.from('two')
}

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one ')
  await wait(5)
  throw new Error('broke off')
}
