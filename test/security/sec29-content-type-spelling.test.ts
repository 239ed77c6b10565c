// SEC29: however the type of a body is spelt, it is read by a parser and checked by the serializer, or refused.
// More: test/core/representations/select-parser.test.ts, test/behaviour/19-bodies.test.ts.
import { expect, test } from 'vitest'
import { ALICES_TOKEN, attacked, onSocket } from './service.ts'
import { lines, raw } from '../core/serving/sockets.ts'

const { app } = await attacked()
const { url } = await onSocket(app)
/** No text: whoever is checked is refused with 400. */
const INVALID = '{"text":""}'

test.each([
  'application/json',
  'APPLICATION/JSON',
  ' application/json',
  '\tapplication/json',
  'application/json ',
  'application/json\t',
  'application/json;',
  'application/json ; charset=utf-8',
  'application/json;charset="utf-8"',
  'application/json;;x',
  'application/json;x=y;application/xml',
  'application/json,',
  'application/json, application/json',
  'application/json/x',
  'application/jsonx',
  'application/ json',
  'application/json\u00a0',
  'application/vnd.api+json',
  'application/*',
  '*/*',
  'text/plain',
  'text/json',
  'x',
  '',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
])('Content-Type: %j', async (type) => {
  const status = await statusOf([`Content-Type: ${type}`])
  expect([400, 415]).toContain(status)
})

test.each([
  ['none', []],
  ['two alike', ['Content-Type: application/json', 'Content-Type: application/json']],
  ['two, the second one ours', ['Content-Type: text/plain', 'Content-Type: application/json']],
])('%s', async (_, headers) => {
  expect([400, 415]).toContain(await statusOf(headers))
})

async function statusOf(headers: readonly string[]): Promise<number> {
  const all = [
    `Authorization: ${ALICES_TOKEN.authorization}`,
    'Host: localhost',
    'Connection: close',
    `Content-Length: ${INVALID.length}`,
  ]
  const text = await raw(url, lines('POST /notes/ HTTP/1.1', ...all, ...headers) + INVALID)
  return Number(text.slice(9, 12))
}
