import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Book } from './tables.ts'

/** What records may be searched and ordered by. */
export type BookColumn = keyof Book

/** What one endpoint has of its own (SERVICE §2): a key that is missing is inherited, `null` switches off. */
export interface EntryConfig {
  readonly authentication_classes?: readonly string[]
  readonly permission_classes?: readonly string[]
  readonly throttle_classes?: readonly ThrottleConfig[]
  readonly throttle_scope?: string
  readonly renderer_classes?: readonly string[]
  readonly parser_classes?: readonly string[]
  readonly pagination_class?: StyleConfig | null
  readonly versioning_class?: VersioningConfig | null
  readonly filter_backends?: readonly string[]
  readonly search_fields?: readonly BookColumn[]
  readonly ordering_fields?: readonly BookColumn[]
  /** Where the client asks for no order. */
  readonly ordering?: readonly (BookColumn | `-${BookColumn}`)[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** The item form. */
  readonly item?: string
  readonly model_name?: string
  /** Restricts the records to those with this value in this column. */
  readonly only?: Readonly<Record<string, number>>
  /** The order of the records; `-` in front means descending. */
  readonly order?: readonly string[]
  /** Name of the item's address. */
  readonly detail_name?: string
  /** Name of the endpoint's own address. */
  readonly self_name?: string
  readonly total?: number
}

/** A throttle with its attributes. */
export interface ThrottleConfig {
  readonly class: string
  readonly scope?: string
  readonly rate?: string
}

/** A pagination style with its attributes, spelled as in the document. */
export interface StyleConfig {
  readonly style: string
  readonly envelope?: string
  readonly django_paginator_class?: string
  readonly [attribute: string]: unknown
}

/** A versioning scheme with its attributes. */
export interface VersioningConfig {
  readonly scheme: string
  readonly [attribute: string]: unknown
}

/** One line of `endpoints.json`. */
export interface Entry {
  readonly path: string
  /** The kind of endpoint. */
  readonly view: string
  readonly name?: string
  /** `outer:inner` */
  readonly namespace?: string
  readonly config?: EntryConfig
}

/** `world.json`: what the service starts with. */
export interface WorldData {
  /** Seconds since 1970. */
  readonly clock: number
  readonly users: readonly {
    readonly id: number
    readonly username: string
    readonly password: string
    readonly is_active: boolean
    readonly is_staff: boolean
    readonly email: string
  }[]
  readonly tokens: readonly { readonly key: string; readonly user: string }[]
  readonly authors: readonly { readonly id: number; readonly name: string }[]
  readonly books: readonly {
    readonly id: number
    readonly title: string
    readonly isbn: string
    readonly price: string
    readonly pages: number
    readonly published: string | null
    readonly created: string
    readonly author: number
  }[]
}

/** The folder with the published data: `endpoints.json`, `world.json`, `cases/`. */
export const DATA: string = join(import.meta.dirname, 'data')

export function readEntries(folder: string): readonly Entry[] {
  return JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8')) as Entry[]
}

export function readWorld(folder: string): WorldData {
  return JSON.parse(readFileSync(join(folder, 'world.json'), 'utf8')) as WorldData
}
