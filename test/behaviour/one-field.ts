// A service of one field, asked by JSON: what tables of expectations about fields send to and compare with.
import { describe, expect, test } from 'vitest'
import {
  type Incoming,
  ValidationError,
  configurationOf,
  defineApi,
  defineUrls,
  handleException,
  reply,
  serializer,
} from '../../src/index.ts'
import type { AnyField } from '../../src/types.ts'
import { client } from '../../src/testing.ts'

/** JSON as it is written, where JavaScript would write it otherwise: `1.0`, numbers of many digits. */
export class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export const written = (text: string): Written => new Written(text)

/** What is sent, and what it comes to: a value, or `refused` with codes. */
export type Sending = readonly [sent: unknown, expected: unknown]

class Refusal {
  readonly codes: unknown
  constructor(codes: unknown) {
    this.codes = codes
  }
}
/** The body of a 400, with codes in place of messages. */
export const refused = (codes: unknown): Refusal => new Refusal(codes)

function toText(value: unknown): string {
  if (value instanceof Written) return value.text
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

/** Codes where the messages would stand, so that tables are about rules and not about words. */
export function codesAlone(error: unknown, request: Incoming): ReturnType<typeof handleException> {
  return error instanceof ValidationError
    ? reply(error.codes, { status: error.status })
    : handleException(error, request)
}

/** Sends one value after the other to a service whose serializer has this field only. */
export function serviceOf(it: AnyField) {
  const one = serializer({ it })
  const urls = defineUrls({ one: '/one/' })
  const api = defineApi({ urls, exceptionHandler: codesAlone })
  const endpoint = api
    .endpoint('one')
    .post(async (request) => one.parse(await request.body(), request))
  return client(api.serve([endpoint], { configuration: configurationOf() }))
}

/** Every row of a table about one kind of field, as a test. */
export function sends(title: string, it: AnyField, rows: readonly Sending[]): void {
  // oxlint-disable-next-line vitest/valid-title -- of a table
  describe(title, () => {
    const { post } = serviceOf(it)
    const headers = { 'content-type': 'application/json' }
    test.each(
      rows.map(([sent, expected]) => [toText(sent).slice(0, 60), toText(sent), expected] as const),
    )('%s', async (_, sent, expected) => {
      const { status, text } = await post('/one/', { headers, body: `{"it":${sent}}` })
      const body = expected instanceof Refusal ? expected.codes : expected
      expect(`${status} ${text}`).toBe(
        `${expected instanceof Refusal ? 400 : 200} {"it":${toText(body)}}`,
      )
    })
  })
}
