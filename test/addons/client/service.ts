// A service whose answers a test writes, and a clock that it turns.
import { type Contract, type ClientOptions, createClient } from '../../../src/client.ts'

/** What was asked. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: BodyInit | null | undefined
  readonly credentials: RequestCredentials | undefined
  readonly redirect: RequestRedirect | undefined
}

export interface Notes extends Contract {
  readonly version: 'v2'
  readonly operations: {
    readonly 'note-list': {
      readonly get: { readonly data: { next: string | null; results: readonly Note[] } }
      readonly post: { readonly body: { title: string; file?: Blob }; readonly data: Note }
    }
    readonly 'note-detail': {
      readonly params: { readonly id: number | string }
      readonly get: { readonly data: Note }
      readonly put: { readonly body: object; readonly data: Note }
      readonly delete: { readonly data: null }
    }
  }
}
export interface Note {
  readonly id: number
}

export const ROUTES = { 'note-list': '/notes/', 'note-detail': '/notes/:id<int>/' }

/** Answers in turn; the last one again and again. An error is thrown, as `fetch` does where no answer comes. */
export function service(
  answers: readonly (Response | Error | (() => Response | Promise<Response>))[],
  options: Partial<ClientOptions<'v2'>> = {},
) {
  const asked: Asked[] = []
  const waits: number[] = []
  let now = Date.UTC(2027, 0, 1)
  const client = createClient<Notes, 'v2'>({
    baseUrl: 'https://api.example',
    routes: ROUTES,
    version: 'v2',
    clock: {
      now: () => now,
      random: () => 0.5,
      async sleep(ms) {
        waits.push(ms)
        now += ms
      },
    },
    async fetch(url, { method = 'GET', headers, body, credentials, redirect }) {
      asked.push({
        method,
        url: url.href,
        headers: new Headers(headers),
        body,
        credentials,
        redirect,
      })
      const answer = answers[Math.min(asked.length, answers.length) - 1]!
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer() : answer.clone()
    },
    ...options,
  })
  return { client, asked, waits, at: () => now }
}

/** JSON with a status and headers. */
export function json(data: unknown, init: ResponseInit = {}): Response {
  return Response.json(data, init)
}

/** An error as the service shows it to those who name the media type of problems. */
export function problem(status: number, body: object, headers: HeadersInit = {}): Response {
  const type = { 'content-type': 'application/problem+json', ...headers }
  return new Response(JSON.stringify({ status, ...body }), { status, headers: type })
}

/** What a call rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}
