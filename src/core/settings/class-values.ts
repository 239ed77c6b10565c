import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { type PolicyClass, camelCase, isObject, isPlain, snakeCase } from './options.ts'

export interface Registry {
  /** Classes, functions and ready-made objects that configuration keys can name. */
  readonly named: Readonly<Record<string, unknown>>
  /** The arguments of classes, by the name of the option that takes each: `tokens`, `users`. */
  readonly services: Readonly<Record<string, unknown>>
}

/**
 * A class value: `"CursorPagination"`, `{"class": "PageNumberPagination", "page_size": 10}`, or `null`.
 * `where` it was written is for messages: `PAGE_SIZE in colophon.json`.
 */
export function classFromValue(value: unknown, where: string, registry: Registry): unknown {
  if (value === null) return null
  const written = typeof value === 'string' ? { class: value } : value
  if (!isPlain(written) || typeof written['class'] !== 'string') {
    throw new ConfigurationError(
      `${where} must be a class name, or {"class": name, ...attributes}, but is ${JSON.stringify(value)}.`,
    )
  }
  const { class: name, ...attributes } = written
  const found = registered(name, where, registry)
  const takes = isClass(found) ? found : { options: [] }
  const options = Object.entries(attributes).map(([attribute, given]) =>
    optionFrom(takes, attribute, given, `${where}, class ${name}`, registry),
  )
  return isClass(found) ? construct(name, found, options, registry) : found
}

/** A registered function, a class as one that makes its objects, or `null`. */
export function functionFromValue(value: unknown, where: string, registry: Registry): unknown {
  if (value === null) return null
  if (typeof value !== 'string') {
    const given = JSON.stringify(value)
    throw new ConfigurationError(`${where} must be a registered name, but is ${given}.`)
  }
  const found = registered(value, where, registry)
  return isClass(found) ? () => construct(value, found, [], registry) : found
}

function registered(name: string, where: string, { named }: Registry): unknown {
  if (Object.hasOwn(named, name)) return named[name]
  const hint =
    name === 'None'
      ? ' For no class write null, and [] for an empty list.'
      : `${didYouMean(name, Object.keys(named))} An application registers its own with defineApi({ classes }).`
  throw new ConfigurationError(`${where} names "${name}", which is not registered.${hint}`)
}

/** Says how to write the value in code: Django takes classes, and our programs give instances of them. */
export function writtenInCode(value: unknown, asList: boolean): string {
  const given = [value].flat()
  if (!given.every((each) => isObject(each) || typeof each === 'function')) return ''
  const made = given.map((each) =>
    typeof each === 'function' ? `new ${each.name}()` : `new ${each.constructor.name}(…)`,
  )
  return ` In a program, write ${asList ? `[${made.join(', ')}]` : made[0]}.`
}

// Only classes have a prototype that cannot be replaced.
function isClass(value: unknown): value is Function & PolicyClass {
  return (
    typeof value === 'function' &&
    Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
  )
}

type Option = [name: string, value: unknown]

function construct(
  name: string,
  kind: Function & PolicyClass,
  options: readonly Option[],
  { services }: Registry,
): unknown {
  const { needs = [] } = kind
  const missing = needs.find((need) => services[need] === undefined)
  if (missing !== undefined) {
    throw new ConfigurationError(
      `${name} needs the ${missing} of an application with accounts: give them to defineApi({ accounts }).`,
    )
  }
  const given = needs.map((need): Option => [need, services[need]])
  return Reflect.construct(kind, [Object.fromEntries([...given, ...options])])
}

/** `page_size_query_param` is `pageSizeQueryParam`; `django_paginator_class` is `paginator`. */
function optionFrom(
  { options, named = [] }: PolicyClass,
  attribute: string,
  value: unknown,
  where: string,
  registry: Registry,
): Option {
  const option = camelCase(attribute.replace(/^django_|_class$/g, ''))
  if (options?.includes(option) === false) {
    const hint = didYouMean(option, options, (near) => `"${attributeOf(near)}"`)
    throw new ConfigurationError(`${where}: there is no attribute "${attribute}".${hint}`)
  }
  const isName = typeof value === 'string' && named.includes(option)
  const isRegistered = isName || attribute.endsWith('_class')
  return [option, isRegistered ? classFromValue(value, where, registry) : value]
}

const attributeOf = (option: string): string =>
  option === 'paginator' ? 'django_paginator_class' : snakeCase(option)
