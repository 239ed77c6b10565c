// Ports are interfaces: an object with the right members is enough, and the compiler knows which.
import { type Logger, PageNumberPagination, TokenAuthentication } from 'colophon'
import type {
  Metadata,
  PaginatorImplementation,
  Parser,
  Renderer,
  Throttle,
  TokenVerifier,
} from 'colophon/types'
import { type Equal, expectType } from './expect.ts'

export const csv = {
  mediaType: 'text/csv',
  format: 'csv',
  render: ({ data }, { request }) => `${request.path}: ${JSON.stringify(data)}`,
} satisfies Renderer

export const mute = {
  mediaType: 'text/plain',
  format: 'txt',
  // @ts-expect-error an answer is a text, bytes or a stream
  render: () => null,
} satisfies Renderer

export const parser = {
  mediaType: 'text/csv',
  parse(bytes, { parameters }) {
    // a body arrives as bytes
    expectType<Equal<typeof bytes, Uint8Array<ArrayBufferLike>>>()
    // with the parameters of its media type
    expectType<Equal<typeof parameters, Readonly<Record<string, string>>>>()
    return null
  },
} satisfies Parser

// nobody is kept waiting for nothing
export const patient = { admit: () => null } satisfies Throttle
// or for so long
export const slow = { admit: () => ({ allowed: false, wait: 3 }) } satisfies Throttle
// @ts-expect-error a refusal says how long, or that nobody knows
export const silent = { admit: () => ({ allowed: false }) } satisfies Throttle
// @ts-expect-error yes and no are not enough
export const short = { admit: () => true } satisfies Throttle
// @ts-expect-error a log takes records
export const printer = { error: (text: string) => text } satisfies Logger
// OPTIONS answers with an object
export const metadata = { describe: ({ title }) => ({ title }) } satisfies Metadata
// @ts-expect-error tokens are looked up by their key
export const byNumber = { verify: (id: number) => (id ? null : null) } satisfies TokenVerifier

export function options(pages: PaginatorImplementation): void {
  // how lists are cut can be replaced
  const style = new PageNumberPagination({ paginator: pages })
  // @ts-expect-error by something that cuts
  const odd = new PageNumberPagination({ paginator: { numPages: () => 1 } })
  // @ts-expect-error and there is no such option
  const misspelt = new PageNumberPagination({ pageSizeParam: 'size' })
  // a storage of one's own is an object that looks keys up
  const tokens = new TokenAuthentication({ tokens: { verify: () => null } })
  return void [style, odd, misspelt, tokens]
}
