import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Layer, Settings } from '../contract/settings.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { messagesFromValue } from '../messages/setting.ts'
import { nearest } from '../std/text/nearest.ts'
import { type Registry, classFromValue, functionFromValue } from './class-values.ts'
import { KEYS, type Kind, SETTING_NAMES, problemOf } from './keys.ts'
import { SERVICE_DEFAULTS, SERVICE_KEYS, type ServiceSettings, serviceProblem } from './service.ts'
import { withCookiesFor } from './session-keys.ts'
import { versionFactsFromValue } from './version-facts.ts'

/** A value with the place it was said in: `colophon.json` or `environment`. */
interface Said {
  readonly value: unknown
  readonly source: string
  /** As it stood in the environment: where a text is wanted, `1.0` is not the number 1. */
  readonly text?: string
}

/** What an operator said, by the document's keys: the file first, then the environment over it. */
export interface Configuration {
  /** The keys of every layer that were said. */
  readonly said: ReadonlyMap<string, Said>
  readonly service: ServiceSettings
  /** The member `app` of the file: the module of the application, for the command line. */
  readonly app: string | null
  /** `NODE_ENV=production`: nothing is made up for convenience. */
  readonly production: boolean
  /** Folder that relative paths of the configuration start from. */
  readonly folder: string
}

/** Where a configuration is read from. */
export interface ConfigurationSource {
  /** @default process.cwd() */
  readonly cwd?: string
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const PREFIX = 'COLOPHON_'
const LAYER_KEYS: ReadonlyMap<string, keyof Settings> = new Map(
  SETTING_NAMES.map((name) => [KEYS[name].key, name]),
)
const SERVICE_NAMES = Object.keys(SERVICE_KEYS) as (keyof ServiceSettings)[]
const KNOWN: readonly string[] = [
  ...LAYER_KEYS.keys(),
  ...SERVICE_NAMES.map((name) => SERVICE_KEYS[name].key),
]

/**
 * Reads `colophon.json` (or the file that `COLOPHON_CONFIG` names), then `COLOPHON_<KEY>` from the
 * environment; `DATABASE_URL`, `SECRET_KEY`, `HOST` and `PORT` also without the prefix. Environment
 * values are JSON where they parse and plain text otherwise; empty says nothing.
 *
 * @throws ConfigurationError for an unknown key or a wrong type; it names the nearest right key
 */
export function readConfiguration(source: ConfigurationSource = {}): Configuration {
  const { cwd = process.cwd(), env = process.env } = source
  const { app = null, ...file } = readFile(cwd, env['COLOPHON_CONFIG'])
  const said = new Map<string, Said>()
  for (const [key, value] of Object.entries(file))
    said.set(known(key), { value, source: 'colophon.json' })
  for (const [key, text] of environmentKeys(env)) {
    said.set(key, { value: fromText(text), source: 'environment', text })
  }
  if (app !== null && typeof app !== 'string') {
    throw new ConfigurationError('colophon.json: "app" wants the path of a module.')
  }
  const production = env['NODE_ENV'] === 'production'
  return { said, service: serviceSettings(said, production), app, production, folder: cwd }
}

/** A configuration in which nobody said anything, or just `keys`: for tests and for programs that embed. */
export function configurationOf(keys: Readonly<Record<string, unknown>> = {}): Configuration {
  const said = new Map(
    Object.entries(keys).map(([key, value]) => [known(key), { value, source: 'configuration' }]),
  )
  return {
    said,
    service: serviceSettings(said, false),
    app: null,
    production: false,
    folder: process.cwd(),
  }
}

/** The keys of every layer as one layer per source, classes looked up in the registry. */
export function layersOf(
  { said }: Configuration,
  registry: Registry,
): { name: string; values: Layer }[] {
  const layers = new Map<string, Record<string, unknown>>()
  for (const [key, found] of said) {
    const name = LAYER_KEYS.get(key)
    if (name === undefined) continue
    const { kind } = KEYS[name]
    const layer = layers.get(found.source) ?? {}
    const value = kind === 'text' || kind === 'text-or-null' ? textOf(found) : found.value
    layer[name] = fromValue(registry, kind, value, `${key} (${found.source})`)
    layers.set(found.source, layer)
  }
  return [...layers].map(([name, values]) => ({ name, values: values as Layer }))
}

/** One layer from the document's keys, as a behaviour states its own policy. */
export function layerFromKeys(
  keys: Readonly<Record<string, unknown>>,
  registry: Registry,
  where: string,
): Layer {
  const layer: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(keys)) {
    const name = LAYER_KEYS.get(known(key))
    if (name === undefined)
      throw new ConfigurationError(`${where}: ${key} belongs to the whole service.`)
    layer[name] = fromValue(registry, KEYS[name].kind, value, `${key} (${where})`)
  }
  return layer
}

function readFile(cwd: string, named: string | undefined): Record<string, unknown> {
  const path = resolve(cwd, named || 'colophon.json')
  if (!existsSync(path)) {
    if (named) throw new ConfigurationError(`COLOPHON_CONFIG names ${path}, which does not exist.`)
    return {}
  }
  const content = parseFile(path)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigurationError(
      `${path} must hold one JSON object with configuration keys as members.`,
    )
  }
  return content as Record<string, unknown>
}

function parseFile(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the file, which may hold the secret key: only the place is told.
    const place = / \(line \d+ column \d+\)/.exec((error as Error).message)?.[0] ?? ''
    throw new ConfigurationError(`${path} cannot be read as JSON${place}.`)
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigurationError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

function* environmentKeys(
  env: Readonly<Record<string, string | undefined>>,
): Generator<[key: string, text: string]> {
  for (const name of SERVICE_NAMES) {
    const { key, plain } = SERVICE_KEYS[name]
    if (plain && env[key]) yield [key, env[key]]
  }
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === 'COLOPHON_CONFIG' || !text) continue
    yield [known(name.slice(PREFIX.length), name), text]
  }
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function known(key: string, shown: string = key): string {
  if (KNOWN.includes(key)) return key
  const near = nearest(key, KNOWN)
  throw new ConfigurationError(
    `There is no configuration key ${shown}.${near === null ? '' : ` Did you mean ${near}?`}`,
  )
}

function fromValue(registry: Registry, kind: Kind, value: unknown, where: string): unknown {
  const made = lookUp(registry, kind, value, where)
  const problem = problemOf(kind, made, () => JSON.stringify(value))
  if (problem === null) return made
  throw new ConfigurationError(`${where} ${problem}`)
}

function lookUp(registry: Registry, kind: Kind, value: unknown, where: string): unknown {
  if (kind === 'class') return classFromValue(registry, value, where)
  if (kind === 'version-facts') return versionFactsFromValue(value)
  if (kind === 'messages') return messagesFromValue(value)
  if (kind === 'factory' || kind === 'function') return functionFromValue(registry, value, where)
  if (kind !== 'classes' || !Array.isArray(value)) return value
  return value.map((item) => classFromValue(registry, item, where))
}

function serviceSettings(said: ReadonlyMap<string, Said>, production: boolean): ServiceSettings {
  const settings: Record<string, unknown> = { ...SERVICE_DEFAULTS }
  for (const name of SERVICE_NAMES) {
    const { key, fits: isRight, wants } = SERVICE_KEYS[name]
    const found = said.get(key)
    if (found === undefined) continue
    const value = serviceValue(name, found)
    // The value itself is not shown: it may be the secret key.
    if (!isRight(value)) throw new ConfigurationError(`${key} (${found.source}) wants ${wants}.`)
    const problem = SERVICE_KEYS[name].problem?.(value) ?? null
    if (problem !== null) throw new ConfigurationError(`${key} (${found.source}): ${problem}`)
    settings[name] = value
  }
  const read = settings as unknown as ServiceSettings
  const facts = { production, publicUrl: read.publicUrl, said: (key: string) => said.has(key) }
  return whole(Object.freeze(withCookiesFor(facts, read)))
}

function whole(settings: ServiceSettings): ServiceSettings {
  const problem = serviceProblem(settings)
  if (problem === null) return settings
  throw new ConfigurationError(problem)
}

function serviceValue(name: keyof ServiceSettings, said: Said): unknown {
  if (SERVICE_KEYS[name].structured || typeof SERVICE_DEFAULTS[name] === 'number') return said.value
  if (!SERVICE_KEYS[name].list) return textOf(said)
  return typeof said.value === 'string'
    ? said.value.split(',').map((part) => part.trim())
    : said.value
}

/** A secret or a version that looks like a number is still a text. */
function textOf({ value, text }: Said): unknown {
  return text !== undefined && value !== null ? text : value
}
