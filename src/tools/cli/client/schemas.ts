// JSON Schema as TypeScript: the data that clients get and send.
import { decoded, targetOf } from '../../../addons/gate/view.ts'
import { memberName, sourceLiteral } from '../inspect/code.ts'

/** An object of a document. */
export type SchemaJson = Readonly<Record<string, unknown>>
/**
 * The direction of a value: `readOnly` members are not sent, `writeOnly` members are not shown, and files are sent as they
 * are.
 */
export type TypeReader = 'shown' | 'sent'

/** Names with another meaning in the written types. */
const TAKEN = ['Blob', 'Contract', 'Date', 'FormData', 'Readonly', 'Record', 'Service']
/** No document that is meant well goes so deep. */
const [MOST_NESTED, MOST_ALIASES] = [200, 100]

/** The types of a document by name; those that are used are written, each once. */
export class Schemas {
  readonly #document: SchemaJson
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>(TAKEN)
  /** Types that are referred to and not written yet: written one within another, a long chain would fill the stack. */
  readonly #open: Named[] = []
  #differing: ReadonlySet<unknown> | null = null
  #depth = 0

  constructor(document: SchemaJson) {
    this.#document = document
  }

  /**
   * The document's part at a reference, or the value itself.
   *
   * @throws RangeError the reference leads nowhere, or in a ring
   */
  followed(value: unknown): SchemaJson {
    let found = asJson(value)
    for (let hops = 0; hops < MOST_ALIASES; hops++) {
      if (typeof found['$ref'] !== 'string') return found
      found = asJson(partAt(this.#document, found['$ref']))
    }
    const first = String(asJson(value)['$ref'])
    throw new RangeError(`The reference "${first}" leads over more than ${MOST_ALIASES} others.`)
  }

  /**
   * The type, as it stands behind a colon in lines that are indented so far.
   *
   * @throws RangeError a schema has others within it to a depth of more than 200
   */
  typeOf(schema: unknown, direction: TypeReader, indent = ''): string {
    if (schema === false) return 'never'
    if (typeof schema !== 'object' || schema === null) return 'unknown'
    if (this.#depth === MOST_NESTED)
      throw new RangeError(`Its schemas lie within one another more than ${MOST_NESTED} deep.`)
    const { $ref, ...beside } = schema as SchemaJson
    this.#depth++
    const parts = [
      ...(typeof $ref === 'string' ? [this.#named($ref, direction)] : []),
      ...this.#partsOf(beside, direction, indent),
    ].filter((part) => part !== 'unknown')
    this.#depth--
    return intersectionOf(parts)
  }

  /** Declarations of the types that were used, by name: theirs, too, which is why it comes last. */
  declarations(): readonly string[] {
    const declared: (readonly [name: string, text: string])[] = []
    for (const { name, $ref, direction } of this.#open)
      declared.push([name, this.#declarationOf(name, $ref, direction)])
    return declared.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  }

  #partsOf(schema: SchemaJson, direction: TypeReader, indent: string): readonly string[] {
    const typesOf = (list: unknown): readonly string[] =>
      asList(list).map((each) => this.typeOf(each, direction, indent))
    const { allOf, anyOf, oneOf } = schema
    return [
      this.#ownOf(schema, direction, indent),
      ...typesOf(allOf),
      ...[anyOf, oneOf].filter(Array.isArray).map((list) => unionOf(typesOf(list))),
    ]
  }

  /** The type of a schema by its own keywords, without other schemas. */
  #ownOf(schema: SchemaJson, direction: TypeReader, indent: string): string {
    if ('const' in schema) return literal(schema['const'])
    if (Array.isArray(schema['enum'])) return unionOf(schema['enum'].map(literal))
    const { type = 'properties' in schema ? 'object' : 'items' in schema ? 'array' : [] } = schema
    return unionOf([type].flat().map((each) => this.#byType(each, schema, direction, indent)))
  }

  #byType(type: unknown, schema: SchemaJson, direction: TypeReader, indent: string): string {
    switch (type) {
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
      case 'null':
        return type
      case 'string':
        return direction === 'sent' && schema['format'] === 'binary' ? 'Blob' : 'string'
      case 'array':
        return this.#arrayOf(schema, direction, indent)
      case 'object':
        return this.#objectOf(schema, direction, indent)
      default:
        return 'unknown'
    }
  }

  #arrayOf({ items, prefixItems }: SchemaJson, direction: TypeReader, indent: string): string {
    const rest = `readonly ${inParentheses(this.typeOf(items, direction, indent))}[]`
    if (!Array.isArray(prefixItems)) return rest
    const first = prefixItems.map((each) => this.typeOf(each, direction, indent))
    return `readonly [${[...first, ...(items === false ? [] : [`...${rest}`])].join(', ')}]`
  }

  #objectOf(schema: SchemaJson, direction: TypeReader, indent: string): string {
    const { properties, required, additionalProperties } = schema
    const hidden = direction === 'sent' ? 'readOnly' : 'writeOnly'
    const members = Object.entries(asJson(properties)).flatMap(([name, member]) => {
      if (this.followed(member)[hidden] === true || asJson(member)[hidden] === true) return []
      const isThere = asList(required).includes(name)
      return { name, isThere, note: noteOf(asJson(member)), of: member }
    })
    const isOpen = additionalProperties !== undefined && additionalProperties !== false
    if (members.length === 0 && !isOpen && properties !== undefined)
      return 'Readonly<Record<string, never>>'
    // Members of an open object may be of any type, so those beside the known ones are, too.
    const other = members.length > 0 ? true : additionalProperties
    const lines = members.map(({ of, ...member }) => ({
      ...member,
      type: this.typeOf(of, direction, `${indent}  `),
    }))
    const index = { name: null, type: this.typeOf(other, direction, `${indent}  `) }
    return objectOf(isOpen || members.length === 0 ? [...lines, index] : lines, indent)
  }

  /** The name of a type that is referred to. A schema that differs by direction has two names. */
  #named($ref: string, direction: TypeReader): string {
    this.#differing ??= differingIn(this.#document)
    const schema = partAt(this.#document, $ref)
    const differs = direction === 'sent' && this.#differing.has(schema)
    const key = differs ? `${$ref} sent` : $ref
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = this.#free(nameFor($ref) + (differs ? 'Sent' : ''))
    this.#names.set(key, name)
    this.#open.push({ name, $ref, direction })
    return name
  }

  #declarationOf(name: string, $ref: string, direction: TypeReader): string {
    const schema = partAt(this.#document, $ref)
    this.followed(schema)
    const text = this.typeOf(schema, direction)
    const head = /^\{\n[^]*\n\}$/.test(text) ? `interface ${name} ${text}` : aliasOf(name, text)
    return `${commentOf(noteOf(asJson(schema)), '')}export ${head}`
  }

  #free(wanted: string): string {
    let name = wanted
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}${count}`
    this.#taken.add(name)
    return name
  }
}

interface Named {
  readonly name: string
  readonly $ref: string
  readonly direction: TypeReader
}

/** Schemas that are shown and sent in different forms, and all schemas in which one of these is: a way up from each of them. */
function differingIn(document: SchemaJson): ReadonlySet<unknown> {
  const above = new Map<unknown, unknown[]>([[document, []]])
  const found = new Set<unknown>()
  // The map and the set grow while they are walked.
  for (const each of above.keys()) {
    const { readOnly, writeOnly, format, $ref } = asJson(each)
    if (readOnly === true || writeOnly === true || format === 'binary') found.add(each)
    const target = targetOf(document, $ref)
    for (const part of [target, ...Object.values(asJson(each))].filter(isObject)) {
      const known = above.get(part)
      if (known === undefined) above.set(part, [each])
      else known.push(each)
    }
  }
  for (const each of found) for (const one of above.get(each) ?? []) found.add(one)
  return found
}

/** A line of an object; `name: null` stands for all other names. */
export interface TypeMember {
  readonly name: string | null
  readonly type: string
  /** May it not be left out? @default true */
  readonly isThere?: boolean
  /** The text of an editor's hint. */
  readonly note?: string
}

/** The type of an object, a line for each member. */
export function objectOf(members: readonly TypeMember[], indent: string): string {
  const lines = members.map(({ name, type, isThere = true, note = '' }) => {
    const key = name === null ? '[name: string]' : memberName(name) + (isThere ? '' : '?')
    return `${commentOf(note, `${indent}  `)}${wrapped(`${indent}  readonly ${key}:`, type)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** Each type once, in the order in which they come. */
export function unionOf(types: readonly string[]): string {
  const all = [...new Set(types)]
  if (all.length === 0 || all.includes('unknown')) return 'unknown'
  const some = all.filter((type) => type !== 'never')
  return some.length === 0
    ? 'never'
    : some.map((type) => (some.length > 1 ? inUnion(type) : type)).join(' | ')
}

export function commentOf(note: string, indent: string): string {
  return note === '' ? '' : `${indent}/** ${note} */\n`
}

/** The description of a schema, as a line of a comment that no text of the document ends. */
export function noteOf({ description, deprecated }: SchemaJson): string {
  const text = typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : ''
  const note = deprecated === true ? `${text} @deprecated`.trim() : text
  return note.replaceAll('*/', '*\\/')
}

export function asJson(value: unknown): SchemaJson {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is SchemaJson {
  return typeof value === 'object' && value !== null
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** @throws RangeError the reference leads nowhere in the document */
function partAt(document: SchemaJson, $ref: string): unknown {
  const target = targetOf(document, $ref)
  if (target !== null) return target
  throw new RangeError(`The document has nothing at its reference "${$ref}".`)
}

/** `#/components/schemas/city-list` → `CityList`. */
function nameFor($ref: string): string {
  const last = decoded($ref.split('/').at(-1)!)
  const name = last.replace(/(?:^[^a-zA-Z\d]*|[^a-zA-Z\d]+)([a-zA-Z\d]?)/g, (_, one: string) =>
    one.toUpperCase(),
  )
  return /^[A-Z]/.test(name) ? name : `Type${name}`
}

function literal(value: unknown): string {
  if (typeof value === 'string') return sourceLiteral(value)
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function intersectionOf(parts: readonly string[]): string {
  const all = [...new Set(parts)]
  if (all.length === 0) return 'unknown'
  return all.length === 1 ? all[0]! : all.map(inParentheses).join(' & ')
}

/** The type in parentheses, if it has `|` or `&` at its top, or `readonly`, which binds less than what comes behind. */
function inParentheses(type: string): string {
  const flat = withoutInner(type)
  return /[|&]|^readonly /.test(flat) ? `(${type})` : type
}

function inUnion(type: string): string {
  return withoutInner(type).includes('&') ? `(${type})` : type
}

/** Literals, comments, brackets, and the text between them. */
const PIECES =
  /'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|\/\*\*[^\n]*\*\/$|[^'"/{}()[\]<>]+|[^]/gm

/** The top of a type, without what stands in brackets or quotes. */
function withoutInner(type: string): string {
  let [top, depth] = ['', 0]
  for (const [piece] of type.matchAll(PIECES))
    if (/^[{([<]/.test(piece)) depth++
    else if (/^[})\]>]/.test(piece)) depth--
    else if (depth === 0 && !/^(?:['"]|\/\*)/.test(piece)) top += piece
  return top
}

/** The longest line that is not broken. */
const WIDTH = 100

function aliasOf(name: string, type: string): string {
  return wrapped(`type ${name} =`, type, 'export '.length)
}

/** A union that is too long for its line has a line for each part. */
function wrapped(head: string, type: string, before = 0): string {
  const line = `${head} ${type}`
  const isLong = before + line.length > WIDTH && !type.includes('\n') && type.includes(' | ')
  if (!isLong || withoutInner(type).includes('[') || inUnion(type) !== type) return line
  const indent = /^ */.exec(head)![0]
  const parts = type.match(/(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^|'"])+/g) ?? []
  return [head, ...parts.map((part) => `${indent}  | ${part.trim()}`)].join('\n')
}
