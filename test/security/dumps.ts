// All columns of all tables, and the spellings that a secret may have there.
import type { SqlDatabase } from '../../src/sql.ts'
import type { ServerDialect } from '../setup/databases.ts'

const TABLES = {
  sqlite: "select name from sqlite_master where type = 'table'",
  postgres: "select tablename as name from pg_tables where schemaname = 'public'",
  mysql: 'select table_name as name from information_schema.tables where table_schema = database()',
} as const

export async function dumpOf(database: SqlDatabase, place: 'sqlite' | ServerDialect) {
  const read = (sql: string) =>
    database.read<Readonly<Record<string, unknown>>>({ sql, parameters: [] })
  const cells: string[] = []
  for (const { name } of await read(TABLES[place]))
    for (const row of await read(`select * from ${String(name)}`))
      for (const value of Object.values(row)) cells.push(...textsOf(value))
  const text = cells.join('\n')
  const folded = text.toLowerCase()
  // Nor with the signs in between that people do not type.
  const plain = folded.replaceAll(/[-_ ]/g, '')
  const holds = (form: string) =>
    text.includes(form) || folded.includes(form.toLowerCase()) || plain.includes(form.toLowerCase())
  return { text, holds, texts: [...new Set(cells)].filter((cell) => cell.length > 3) }
}

/** Bytes are read in hexadecimal digits, and as they are. */
function textsOf(value: unknown): readonly string[] {
  if (value === null) return []
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    return [bytes.toString('hex'), bytes.toString('latin1')]
  }
  const plain = (_: string, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)
  return [typeof value === 'string' ? value : JSON.stringify(value, plain)]
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A secret, and the bytes that it spells, in the digits of each base. */
export function formsOf(secret: string): readonly string[] {
  const spelled: Buffer[] = [Buffer.from(secret)]
  if (/^(?:[\da-f]{2})+$/i.test(secret)) spelled.push(Buffer.from(secret, 'hex'))
  if (/^[\w-]+$/.test(secret)) spelled.push(Buffer.from(secret, 'base64url'))
  if (/^[A-Z2-7]{16,}$/.test(secret)) spelled.push(base32(secret))
  const plain = secret.replaceAll('-', '')
  if (plain !== secret) spelled.push(Buffer.from(plain))
  // Fewer say nothing: a year is in every dump.
  return spelled.filter(({ length }) => length >= 6).flatMap((bytes) => [...digitsOf(bytes)])
}

function* digitsOf(bytes: Buffer): Generator<string> {
  yield bytes.toString('latin1')
  yield bytes.toString('hex')
  // Behind other bytes, digits stand for others: those that depend on this text alone are looked for.
  for (const before of [0, 1, 2]) {
    const [from, over] = [[0, 2, 3][before]!, (before + bytes.length) % 3]
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    for (const base of ['base64', 'base64url'] as const)
      yield shifted
        .toString(base)
        .replaceAll('=', '')
        .slice(from, over === 0 ? undefined : -1)
  }
}

function base32(text: string): Buffer {
  const bits = [...text].map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
