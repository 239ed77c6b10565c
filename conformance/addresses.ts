import { include } from 'colophon'
import type { Address, UrlTable } from 'colophon/types'
import type { Entry } from './data.ts'
import type { Addresses } from './request.ts'

/** The name of an entry's address, namespaces included: `v1:ns-plain-echo`. */
export function fullNameOf({ namespace, name, path, view }: Entry): string {
  // The address of a resource ends so.
  const local = name ?? nameFromPath(path) + (view === 'list-create' ? '-list' : '')
  return namespace === undefined ? local : `${namespace}:${local}`
}

/** `/auth/basic/object/<id>/` → `auth-basic-object-id` */
function nameFromPath(path: string): string {
  return path.replace(/[<>]/g, '').split('/').filter(Boolean).join('-')
}

/** `/errors/<kind>/` → `/errors/:kind/`; an `<id>` is digits. */
function toAddress(path: string): `/${string}` {
  const address = path.replace(/<(\w+)>/g, (_, name: string) =>
    name === 'id' ? ':id<int>' : `:${name}`,
  )
  return `/${address.slice(1)}`
}

/** The table of all entries: one name may have several paths, a namespace is a table of its own. */
export function addressesOf(entries: readonly Entry[]): Addresses {
  const byName = Map.groupBy(entries, fullNameOf)
  const named = [...byName].map(([name, sharing]) => ({
    name: name.split(':'),
    paths: sharing.map(({ path }) => toAddress(path)),
  }))
  // Which names there are is only known to the file; the type says that there may be any.
  return tableOf(named) as Addresses
}

interface Named {
  /** Namespaces, outermost first, and the local name, last. */
  readonly name: readonly string[]
  readonly paths: Address
}

function tableOf(addresses: readonly Named[]): UrlTable {
  const groups = Map.groupBy(addresses, ({ name }) => name[0]!)
  return Object.fromEntries([...groups].map(([name, group]) => [name, entryOf(group)]))
}

function entryOf(group: readonly Named[]): UrlTable[string] {
  const [{ name, paths }] = group as readonly [Named]
  if (name.length === 1) return paths
  return include('/', tableOf(group.map((each) => ({ ...each, name: each.name.slice(1) }))))
}
