import type { JSONSchema } from '../types/documents.ts'
import type { Components } from './components.ts'

/** The components of a document, with an example for each object: what is shown, and what is sent. */
export function withExamples(components: Components): JSONSchema {
  const { schemas, ...others } = components.toJSON()
  if (schemas === undefined) return others
  const examples = new Examples(components)
  const named = Object.entries(schemas as Readonly<Record<string, JSONSchema>>)
  const shown = named.map(([name, schema]) => {
    if (schema['type'] !== 'object' || 'examples' in schema) return [name, schema] as const
    const example = examples.of(schema)
    return [name, example === undefined ? schema : { ...schema, examples: [example] }] as const
  })
  return { ...others, schemas: Object.fromEntries(shown) }
}

/** Deeper than this, nothing is made up. */
const DEEPEST = 6

/**
 * Makes up values that schemas admit: what a schema names, else the simplest that fits. `undefined`: none is known,
 * because of a pattern perhaps.
 */
class Examples {
  readonly #components: Components

  constructor(components: Components) {
    this.#components = components
  }

  /** `name`: of the member whose value it is; texts are made of it. */
  of(schema: JSONSchema, name = '', depth = 0): unknown {
    const shown = this.#components.resolve(schema)
    const named = NAMING.map((keyword) => shown[keyword]).find((value) => value !== undefined)
    if (named !== undefined) return named
    if (depth > DEEPEST || UNKNOWN.some((keyword) => keyword in shown)) return undefined
    const listed = firstOf(shown['examples']) ?? firstOf(shown['enum'])
    if (listed !== undefined) return listed
    const choices = (shown['anyOf'] ?? shown['oneOf']) as readonly JSONSchema[] | undefined
    if (choices !== undefined)
      return choices.map((each) => this.of(each, name, depth + 1)).find((value) => value != null)
    const types = [shown['type']].flat()
    const type = types.find((each) => each !== 'null') ?? types[0]
    if (type === undefined) return isOpen(shown) ? {} : undefined
    if (type === 'object') return this.#object(shown, depth)
    if (type === 'array') return this.#array(shown, name, depth)
    return SIMPLE[type as keyof typeof SIMPLE]?.(shown, name)
  }

  #object({ properties = {}, required = [] }: JSONSchema, depth: number): unknown {
    const members = Object.entries(properties as Readonly<Record<string, JSONSchema>>)
      .map(([name, schema]) => [name, this.of(schema, name, depth + 1)] as const)
      .filter(([, value]) => value !== undefined)
    const object = Object.fromEntries(members)
    const isWhole = (required as readonly string[]).every((name) => Object.hasOwn(object, name))
    return isWhole ? object : undefined
  }

  #array({ items, minItems = 0 }: JSONSchema, name: string, depth: number): unknown {
    const item = items === undefined ? undefined : this.of(items as JSONSchema, name, depth + 1)
    const array = item === undefined ? [] : [item]
    return array.length < (minItems as number) ? undefined : array
  }
}

/** Keywords that say a value themselves. */
const NAMING = ['const', 'default']
/** Keywords that are not looked into. */
const UNKNOWN = ['allOf', 'not', 'if', 'prefixItems', 'minProperties', 'multipleOf', 'contains']

/** Does a schema admit anything? */
function isOpen(schema: JSONSchema): boolean {
  return Object.keys(schema).every((keyword) => SAYINGS.has(keyword))
}

const SAYINGS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'readOnly',
  'writeOnly',
  'deprecated',
])

function firstOf(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined
}

const SIMPLE = {
  boolean: () => true,
  null: () => null,
  integer: numberFor,
  number: numberFor,
  string: textFor,
}

function numberFor({ minimum = -Infinity, maximum = Infinity }: JSONSchema): unknown {
  return [1, minimum, maximum].find(
    (value) =>
      Number.isFinite(value) &&
      Number(value) >= Number(minimum) &&
      Number(value) <= Number(maximum),
  )
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T16:00:00Z',
  email: 'jane@example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '7d444840-9dc0-11d1-b245-5ffdce74fad2',
}
/** What patterns of our own fields admit, and many others. */
const USUAL = ['12.50', '1', '16:00:00', '1 02:03:04', 'P1DT2H', 'text', 'a-text']

function textFor(schema: JSONSchema, name: string): unknown {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema
  const isPlain = format === undefined || pattern !== undefined
  const known = FORMATS[format as string]
  const own = (name || 'text').padEnd(Number(minLength), '.').slice(0, Number(maxLength))
  const candidates = known !== undefined ? [known] : isPlain ? [own, ...USUAL] : []
  return candidates.find(
    (text) =>
      text.length >= Number(minLength) && text.length <= Number(maxLength) && fits(pattern, text),
  )
}

/** A pattern that is none admits nothing. */
function fits(pattern: unknown, text: string): boolean {
  try {
    return pattern === undefined || new RegExp(pattern as string, 'u').test(text)
  } catch {
    return false
  }
}
