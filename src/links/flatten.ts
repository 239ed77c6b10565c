import type { Include, UrlTable } from '../types/routes.ts'
import { refusal } from './refusal.ts'

/** An entry of the table with everything that the includes around it add. */
export interface NamedAddress {
  readonly name: string
  readonly paths: readonly string[]
}

/** All addresses of a table, includes opened, in the order written. Refuses a name that occurs twice. */
export function flatten(table: UrlTable): NamedAddress[] {
  const addresses = openTable(table, '', '')
  const seen = new Set<string>()
  for (const { name } of addresses) {
    if (seen.has(name)) throw refusal(name, null, 'the name occurs twice. Rename one of the two.')
    seen.add(name)
  }
  return addresses
}

function openTable(table: UrlTable, namespace: string, prefix: string): NamedAddress[] {
  return Object.entries(table).flatMap(([key, entry]) => {
    const name = checkName(namespace + key)
    if (!isInclude(entry)) return { name, paths: pathsOf(name, entry, prefix) }
    return openTable(entry.table, `${name}:`, join(prefix, checkPath(name, entry.prefix)))
  })
}

function pathsOf(name: string, entry: unknown, prefix: string): string[] {
  const paths: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  if (!paths.length) throw refusal(name, null, 'it has no path. Write at least one.')
  return paths.map((path) => join(prefix, checkPath(name, path)))
}

/** A colon in a key is the same as an include, so names with empty parts could not be told apart. */
function checkName(name: string): string {
  if (!name.split(':').includes('')) return name
  throw refusal(name, null, 'a part of the name is empty. Write "name" or "namespace:name".')
}

function checkPath(name: string, path: unknown): string {
  if (typeof path !== 'string') {
    throw refusal(name, null, 'write a path, a list of paths or include(prefix, table).')
  }
  if (path.startsWith('/')) return path
  throw refusal(name, path, `a path starts with a slash. Write "/${path}".`)
}

function isInclude(entry: unknown): entry is Include<string, UrlTable> {
  return typeof entry === 'object' && entry !== null && 'prefix' in entry && 'table' in entry
}

/** A slash at the end of the prefix and the one at the start of the path are one slash. */
function join(prefix: string, path: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) + path : prefix + path
}
