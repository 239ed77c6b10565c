import { setTimeout as wait } from 'node:timers/promises'
import { type App, configurationOf, defineApi, reply } from '../../../src/index.ts'
import type { Renderer } from '../../../src/types.ts'

const streaming: Renderer = {
  mediaType: 'text/plain',
  format: 'txt',
  render: ({ data }) => toStream((data as () => AsyncIterable<Uint8Array>)()),
}

/** What a service does that doors have to carry: bodies of all kinds, slowly and all at once. */
export function doorsApp(): App & { readonly log: object[]; readonly ended: string[] } {
  const log: object[] = []
  const ended: string[] = []
  const api = defineApi({
    urls: {
      hello: '/hello/',
      echo: '/echo/',
      unread: '/unread/',
      slow: '/slow/',
      stream: '/stream/',
      broken: '/broken/',
      endless: '/endless/',
      bytes: '/bytes/',
      created: '/created/',
      where: '/where/',
      varying: '/varying/',
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
      api.endpoint('endless', { renderers: [streaming] }).get(() => () => endless(ended)),
      api.endpoint('broken', { renderers: [streaming] }).get(() => breaking),
      api
        .endpoint('bytes', {
          renderers: [{ ...streaming, render: () => Buffer.from([1, 2, 255]) }],
        })
        .get(() => 'x'),
      api
        .endpoint('created')
        .post(() => reply({ id: 1 }, { status: 201, headers: { Location: '/1/' } })),
      api
        .endpoint('varying')
        .get(() => reply('x', { headers: { Vary: 'Accept', 'Set-Cookie': 'c=3' } })),
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
  return { ...app, log, ended }
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

async function* endless(ended: string[]): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      yield Buffer.from('more ')
      await wait(2)
    }
  } finally {
    ended.push('endless')
  }
}

/** Made by hand, because types of the platform do not know `ReadableStream.from` yet. */
export function toStream(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
