import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/did-you-mean.ts'
import { camelCase, isObject, snakeCase } from './options.ts'

/** Makes one policy from the options a configuration gives it. */
interface Registered {
  construct(options: Readonly<Record<string, unknown>>): unknown
  /** Option names it takes; `null`: anything, the class itself decides. */
  readonly options: readonly string[] | null
  /** Options whose value may be the name of something registered. */
  readonly named?: readonly string[]
  /** Functions are used as they are, where a key wants a function or a factory. */
  readonly value?: unknown
}

/** What configuration keys can name. */
export type Registry = Readonly<Record<string, Registered>>

/** What an application has for its policies, by the name of the option that takes it: `tokens`, `users`. */
export type Services = Readonly<Record<string, unknown>>

interface PolicyClass extends Partial<Pick<Registered, 'options' | 'named'>> {
  /** Options that only the application can give: names of its services. */
  readonly needs?: readonly string[]
}

/**
 * Registers a class (constructed with its options), a function, or a ready-made object. A class may
 * list the options it knows in `static readonly options`, those of them that name something registered
 * in `static readonly named`, and in `static readonly needs` the services of the application that it
 * is given beside them.
 */
export function register(name: string, value: unknown, services: Services): Registered {
  if (typeof value !== 'function' || !isClass(value)) {
    return { construct: () => value, options: [], value }
  }
  const { options = null, named = [], needs = [] } = value as PolicyClass
  const construct = (given: object): unknown =>
    Reflect.construct(value, [{ ...servicesFor(name, needs, services), ...given }])
  return { construct, options, named, value: () => construct({}) }
}

function servicesFor(name: string, needs: readonly string[], services: Services): object {
  const missing = needs.find((need) => services[need] === undefined)
  if (missing === undefined) return Object.fromEntries(needs.map((need) => [need, services[need]]))
  throw new ConfigurationError(
    `${name} needs the ${missing} of an application with accounts: give them to defineApi({ accounts }).`,
  )
}

// Only classes have a prototype that cannot be replaced.
function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
}

/**
 * A class value: `"CursorPagination"`, `{"class": "PageNumberPagination", "page_size": 10}`, or `null`.
 * `where` it was written is for messages: `PAGE_SIZE in colophon.json`.
 */
export function classFromValue(value: unknown, where: string, registry: Registry): unknown {
  if (value === null) return null
  const written = typeof value === 'string' ? { class: value } : value
  if (!isObject(written) || !('class' in written) || typeof written.class !== 'string') {
    throw new ConfigurationError(
      `${where} wants a class name, or {"class": name, ...attributes}, and got ${JSON.stringify(value)}.`,
    )
  }
  const { class: name, ...attributes } = written
  const entry = entryOf(registry, name, where)
  const options = Object.entries(attributes).map(([attribute, given]) =>
    optionFrom(entry, attribute, given, `${where}, class ${name}`, registry),
  )
  return entry.construct(Object.fromEntries(options))
}

/** A registered function, or `null`. */
export function functionFromValue(value: unknown, where: string, registry: Registry): unknown {
  if (value === null) return null
  if (typeof value === 'string') return entryOf(registry, value, where).value
  throw new ConfigurationError(
    `${where} wants a registered name, and got ${JSON.stringify(value)}.`,
  )
}

function entryOf(registry: Registry, name: string, where: string): Registered {
  if (Object.hasOwn(registry, name)) return registry[name]!
  const hint = didYouMean(name, Object.keys(registry))
  throw new ConfigurationError(
    `${where} names "${name}", which is not registered.${hint} An application registers its own with defineApi({ classes }).`,
  )
}

/** `page_size_query_param` is `pageSizeQueryParam`; `django_paginator_class` is `paginator`. */
function optionFrom(
  { options, named = [] }: Registered,
  attribute: string,
  value: unknown,
  where: string,
  registry: Registry,
): [option: string, value: unknown] {
  const option = camelCase(attribute.replace(/^django_|_class$/g, ''))
  if (options !== null && !options.includes(option)) {
    const hint = didYouMean(option, options, (near) => `"${attributeOf(near)}"`)
    throw new ConfigurationError(`${where}: there is no attribute "${attribute}".${hint}`)
  }
  const isName = typeof value === 'string' && named.includes(option)
  const isRegistered = isName || attribute.endsWith('_class')
  return [option, isRegistered ? classFromValue(value, where, registry) : value]
}

const attributeOf = (option: string): string =>
  option === 'paginator' ? 'django_paginator_class' : snakeCase(option)
