import type { SchemaPlace, Settings } from '../../core/ports/settings/settings.ts'
import type { DescribesSchema, Direction, JSONSchema } from '../../core/types/documents.ts'

type Section = 'schemas' | 'responses' | 'headers' | 'parameters' | 'securitySchemes'
type Described = DescribesSchema<Settings>

/**
 * Parts that a document has once and refers to by name. Equal parts share a name; another part of the same name gets a number.
 */
export class Components {
  readonly #sections = new Map<Section, Map<string, JSONSchema>>()
  readonly #texts = new Map<string, string>()
  readonly #made = new Map<string, JSONSchema>()
  readonly #schemas = new Map<Described, Map<string, JSONSchema>>()
  /** References to schemas that other schemas use. */
  readonly #held = new WeakSet<JSONSchema>()

  /** The component of this key, which is made once. */
  once(key: string, make: () => JSONSchema): JSONSchema {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#made.set(key, made)
    return made
  }

  refer(section: Section, wanted: string, component: JSONSchema): JSONSchema {
    return { $ref: `#/components/${section}/${this.put(section, wanted, component)}` }
  }

  /** Adds a component, and returns the name that it goes by. */
  put(section: Section, wanted: string, component: JSONSchema): string {
    const text = JSON.stringify(component)
    const name = this.#freeName(section, wanted, text)
    this.#texts.set(`${section} ${name}`, text)
    this.#in(section).set(name, component)
    return name
  }

  /** The schema of a serializer, named after the serializer or after the place; a serializer may contain itself. */
  schema(serializer: Described | undefined, place: SchemaPlace): JSONSchema {
    if (serializer?.schema === undefined) return {}
    const known = this.#schemas.get(serializer) ?? new Map<string, JSONSchema>()
    this.#schemas.set(serializer, known)
    const key = `${place.direction} ${place.version}`
    const made = known.get(key)
    if (made !== undefined) {
      this.#held.add(made)
      return made
    }
    const own = serializer.name ?? place.name
    const name = this.#freeName('schemas', `${own}${SUFFIXES[place.direction]}`, OPEN)
    // A schema that contains itself keeps the name that it had within; a schema that equals another one takes the name of
    // that.
    const reference = { $ref: `#/components/schemas/${name}` }
    known.set(key, reference)
    this.#texts.set(`schemas ${name}`, OPEN)
    const refer: SchemaPlace['refer'] = (other, at) => this.schema(other, at)
    const schema = serializer.schema({ ...place, name: own, refer })
    this.#texts.delete(`schemas ${name}`)
    const holdsItself = this.#held.has(reference)
    const shown =
      schema['type'] !== 'object' && !holdsItself
        ? schema
        : this.refer('schemas', holdsItself ? name : `${own}${SUFFIXES[place.direction]}`, schema)
    known.set(key, shown)
    return shown
  }

  /** The component that a reference names; a schema without a reference is returned as it is. */
  resolve(schema: JSONSchema): JSONSchema {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return schema
    const [, , section, name] = reference.split('/')
    return this.#sections.get(section as Section)?.get(name!) ?? schema
  }

  toJSON(): JSONSchema {
    const sections = [...this.#sections].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      sections.map(([section, named]) => [
        section,
        Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ]),
    )
  }

  #in(section: Section): Map<string, JSONSchema> {
    const found = this.#sections.get(section) ?? new Map<string, JSONSchema>()
    this.#sections.set(section, found)
    return found
  }

  #freeName(section: Section, wanted: string, text: string): string {
    const isFree = (name: string): boolean => {
      const taken = this.#texts.get(`${section} ${name}`)
      return taken === undefined || (taken === text && text !== OPEN)
    }
    // OpenAPI allows no other characters in names of components.
    const base = wanted
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^\w.-]/g, '_')
    let name = base
    for (let number = 2; !isFree(name); number++) name = `${base}${number}`
    return name
  }
}

/** The text of a schema that is being made: no other schema gets its name meanwhile, not even an equal one. */
const OPEN = ''

const SUFFIXES: Readonly<Record<Direction, string>> = { output: '', input: 'Write', patch: 'Patch' }

/** The components of a document, with an example of each object, as it is shown and as it is sent. */
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

  /** Makes up a value. `name`: the name of its member, of which texts are made. */
  of(schema: JSONSchema | boolean, name = '', depth = 0): unknown {
    if (typeof schema === 'boolean') return schema ? {} : undefined
    const shown = this.#components.resolve(schema)
    const named = NAMING.map((keyword) => shown[keyword]).find((value) => value !== undefined)
    if (named !== undefined) return named
    const isKnown = Object.keys(shown).every((each) => OBEYED.has(each) || SAYINGS.has(each))
    if (depth > DEEPEST || !isKnown) return undefined
    const listed = firstOf(shown['examples']) ?? firstOf(shown['enum'])
    if (listed !== undefined) return listed
    const choices = shown['anyOf'] as readonly JSONSchema[] | undefined
    if (choices !== undefined) {
      const isAlone = Object.keys(shown).every((each) => each === 'anyOf' || SAYINGS.has(each))
      const values = isAlone ? choices.map((each) => this.of(each, name, depth + 1)) : []
      return values.find((value) => value !== undefined && value !== null)
    }
    const types = [shown['type']].flat()
    const type = types.find((each) => each !== 'null') ?? types[0]
    // A schema without a type may still have limits for values of several types.
    if (type === undefined)
      return Object.keys(shown).every((each) => SAYINGS.has(each)) ? {} : undefined
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

  #array({ items, minItems = 0, maxItems }: JSONSchema, name: string, depth: number): unknown {
    const isEmpty = items === undefined || maxItems === 0
    const item = isEmpty ? undefined : this.of(items as JSONSchema, name, depth + 1)
    const array = item === undefined ? [] : [item]
    return array.length < (minItems as number) ? undefined : array
  }
}

/** Keywords that say a value themselves. */
const NAMING = ['const', 'default']
/** The keywords that examples obey. For schemas of another library with other keywords, no example is made. */
const OBEYED: ReadonlySet<string> = new Set([
  'additionalProperties',
  'anyOf',
  'enum',
  'examples',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
  'uniqueItems',
])

/** Keywords for people. */
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
  integer: wholeFor,
  number: wholeFor,
  string: textFor,
}

/** A whole number if possible, which suits both kinds of numbers. */
function wholeFor({ minimum = -Infinity, maximum = Infinity }: JSONSchema): number | undefined {
  const [least, most] = [Number(minimum), Number(maximum)]
  const candidates = [1, Math.ceil(least), Math.floor(most)]
  return candidates.find((one) => Number.isFinite(one) && one >= least && one <= most)
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
/** Texts that fit the patterns of our own fields, and many others. */
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

/** An invalid pattern matches nothing. */
function fits(pattern: unknown, text: string): boolean {
  try {
    return pattern === undefined || new RegExp(pattern as string, 'u').test(text)
  } catch {
    return false
  }
}
