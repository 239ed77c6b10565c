// A cursor of a careful developer: the values of the row at the edge, with an HMAC.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const KEY = createSecretKey('another secret for benchmarks only', 'utf8')

/** The row at the edge, and the direction of reading. */
export interface Edge {
  readonly created: string
  readonly id: number
  readonly back: boolean
}

export function writeCursor({ created, id, back }: Edge): string {
  const text = Buffer.from(JSON.stringify([created, id, back])).toString('base64url')
  return `${text}.${signatureOf(text).toString('base64url')}`
}

/** `null`: the cursor is not one of ours. */
export function readCursor(cursor: string): Edge | null {
  const [text = '', signature = ''] = cursor.split('.')
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(text)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const [created, id, back] = JSON.parse(Buffer.from(text, 'base64url').toString())
  return { created, id, back }
}

function signatureOf(text: string): Buffer {
  return createHmac('sha256', KEY).update(text).digest()
}
