import type { SchemaPlace, Settings } from '../contract/request.ts'
import type { DescribesSchema, Direction, JSONSchema } from '../types/documents.ts'

type Section = 'schemas' | 'responses' | 'headers' | 'parameters' | 'securitySchemes'
type Described = DescribesSchema<Settings>

/**
 * What a document says once and refers to: by name, and each name for one thing. What is the same goes by the same
 * name; another thing of that name gets a number.
 */
export class Components {
  readonly #sections = new Map<Section, Map<string, JSONSchema>>()
  readonly #texts = new Map<string, string>()
  readonly #made = new Map<string, JSONSchema>()
  readonly #schemas = new Map<Described, Map<string, JSONSchema>>()
  /** References that something refers to. */
  readonly #held = new WeakSet<JSONSchema>()

  /** What was made under this key before. */
  once(key: string, make: () => JSONSchema): JSONSchema {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#made.set(key, made)
    return made
  }

  /** A reference to the component. */
  refer(section: Section, wanted: string, component: JSONSchema): JSONSchema {
    return { $ref: `#/components/${section}/${this.put(section, wanted, component)}` }
  }

  /** The name that the component goes by. */
  put(section: Section, wanted: string, component: JSONSchema): string {
    const text = JSON.stringify(component)
    const name = this.#freeName(section, wanted, text)
    this.#texts.set(`${section} ${name}`, text)
    this.#in(section).set(name, component)
    return name
  }

  /** The schema of a serializer, called after it or after the place; a serializer may hold itself. */
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
    // What holds itself keeps the name that it had within: what is the same as another one takes its name.
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

  /** The component that a reference stands for; what is none stands for itself. */
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
    let name = wanted
    for (let number = 2; !isFree(name); number++) name = `${wanted}${number}`
    return name
  }
}

/** Stands for a schema that is being made: no other has its name meanwhile, the same one included. */
const OPEN = ''

const SUFFIXES: Readonly<Record<Direction, string>> = { output: '', input: 'Write', patch: 'Patch' }
