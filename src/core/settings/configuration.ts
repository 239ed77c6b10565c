import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Finding, Logger } from '../ports/kernel.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Registry } from './class-values.ts'
import type { Layer, NamedLayer } from './fold.ts'
import { KEYS, LAYER_KEYS, knownKey, problemOf } from './endpoint-settings.ts'
import { repeatedName } from '../std/json/repeated-name.ts'
import { type OptionRule, isObject, isPlain } from './options.ts'
import {
  SERVICE_DEFAULTS,
  SERVICE_KEYS,
  SERVICE_NAMES,
  type ServiceSettings,
  serviceKey,
  serviceProblem,
  withCookiesFor,
} from './service-keys.ts'

interface Given {
  readonly value: unknown
  /** `colophon.json` or `environment`. */
  readonly source: string
  /** The text in the environment: if a text is wanted, `1.0` is not the number 1. */
  readonly text?: string
}

/** The operator's configuration by key: the file first, then the environment, which takes precedence. */
export interface Configuration {
  /** The keys that were set. */
  readonly given: ReadonlyMap<string, Given>
  readonly service: ServiceSettings
  /** The member `app` of the file: the module of the application, for the command line. */
  readonly app: string | null
  /** `NODE_ENV=production`: nothing is made up for convenience. */
  readonly production: boolean
  /** Folder that relative paths of the configuration start from. */
  readonly folder: string
  /** Names in the environment that lack only the prefix to be keys, so that nothing reads them. */
  readonly unread: readonly string[]
}

/** The source of a configuration. */
export interface ConfigurationSource {
  /** @default process.cwd() */
  readonly cwd?: string
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const PREFIX = 'COLOPHON_'

/**
 * Reads `colophon.json` (or the file that `COLOPHON_CONFIG` names), then `COLOPHON_<KEY>` from the
 * environment; `DATABASE_URL`, `SECRET_KEY`, `HOST` and `PORT` also without the prefix. Environment
 * values are JSON where they parse and plain text otherwise, and lists may have commas; empty sets nothing.
 *
 * @throws ConfigurationError for an unknown key or a wrong type; it names the nearest right key
 */
export function readConfiguration(source: ConfigurationSource = {}): Configuration {
  const { cwd = process.cwd(), env = process.env } = source
  const { app = null, ...file } = readFile(cwd, env['COLOPHON_CONFIG'])
  const given = new Map<string, Given>()
  for (const [key, value] of Object.entries(file))
    given.set(knownKey(key), { value, source: 'colophon.json' })
  for (const [key, text] of environmentKeys(env)) {
    given.set(key, { value: fromText(text), source: 'environment', text })
  }
  if (app !== null && typeof app !== 'string') {
    throw new ConfigurationError('colophon.json: "app" must be the path of a module.')
  }
  const production = isProduction(env)
  const service = serviceSettings(given, production)
  return { given, service, app, production, folder: cwd, unread: withoutPrefix(env, given) }
}

/**
 * A configuration of nothing, or just `keys`: for tests and for programs that embed. The environment decides one thing
 * alone: with `NODE_ENV=production` it is that of production, unless `production` says otherwise.
 *
 * @example
 * const configuration = configurationOf({ SECRET_KEY: secret }, { production: true })
 *
 * @throws ConfigurationError for an unknown key or a wrong type; it names the nearest right key
 */
export function configurationOf(
  keys: Readonly<Record<string, unknown>> = {},
  { production = isProduction(process.env) }: { readonly production?: boolean } = {},
): Configuration {
  const given = new Map(
    Object.entries(keys).map(([key, value]) => [knownKey(key), { value, source: 'configuration' }]),
  )
  const service = serviceSettings(given, production)
  return { given, service, app: null, production, folder: process.cwd(), unread: [] }
}

function isProduction(env: ConfigurationSource['env'] & {}): boolean {
  return env['NODE_ENV'] === 'production'
}

/** Names the keys that an operator may wrongly believe to be set. Others may set them for themselves, so none is refused. */
export function logUnread({ unread }: Configuration, logger: Logger): void {
  if (unread.length === 0) return
  const { message, fix } = unreadKeys(unread)
  logger.warn?.({ event: 'configuration.unread', keys: unread, message: `${message} ${fix}` })
}

/** For the log, and for `colophon doctor`. */
export function unreadKeys(unread: readonly string[]): Pick<Finding, 'message' | 'fix'> {
  const message = `Without the prefix, nothing reads ${unread.join(', ')} in the environment.`
  return { message, fix: `Write ${PREFIX} before the name of what was meant for Colophon.` }
}

/** One layer per source, classes looked up in the registry. */
export function layersOf({ given }: Configuration, registry: Registry): NamedLayer[] {
  const ofLayers = [...given].filter(([key]) => LAYER_KEYS.has(key))
  const bySource = Map.groupBy(ofLayers, ([, { source }]) => source)
  return [...bySource].map(([name, entries]) => ({ name, values: layerOf(entries, registry) }))
}

/** One layer from configuration keys, as a behaviour states its own policy. */
export function layerFromKeys(
  keys: Readonly<Record<string, unknown>>,
  registry: Registry,
  source: string,
): Layer {
  const entries = Object.entries(keys).map(([key, value]): [string, Given] => {
    if (LAYER_KEYS.has(knownKey(key))) return [key, { value, source }]
    throw new ConfigurationError(`${source}: ${key} belongs to the whole service.`)
  })
  return layerOf(entries, registry)
}

function layerOf(entries: readonly [key: string, Given][], registry: Registry): Layer {
  const settings = entries.map(([key, given]) => {
    const name = LAYER_KEYS.get(key)!
    const where = `${key} (${given.source})`
    const written = valueOf(given, KEYS[name])
    const { from = () => written } = KEYS[name]
    const value = from(written, where, registry)
    const problem = problemOf(name, value, () => JSON.stringify(written))
    if (problem !== null) throw new ConfigurationError(`${where} ${problem}`)
    return [name, value]
  })
  return Object.fromEntries(settings) as Layer
}

const JSON_LIKE = /^\s*[[{"']/

/** The value as its rule reads it: a secret or a version that looks like a number is still a text. */
function valueOf({ value, text }: Given, { reads }: OptionRule): unknown {
  const words = typeof value === 'string' ? value : isObject(value) ? undefined : text
  // A text that begins like JSON but is none is not split into a list: a shell may have eaten its quotes. A host may also
  // begin like JSON: [::1].
  const isListed =
    reads === 'list' || (reads === 'words' && text !== undefined && !JSON_LIKE.test(words ?? ''))
  if (isListed && words !== undefined && value !== null)
    return words.split(',').map((part) => part.trim())
  return reads === 'text' && text !== undefined && value !== null ? text : value
}

function readFile(cwd: string, named: string | undefined): Readonly<Record<string, unknown>> {
  const path = resolve(cwd, named || 'colophon.json')
  if (!existsSync(path)) {
    if (named) throw new ConfigurationError(`COLOPHON_CONFIG names ${path}, which does not exist.`)
    return {}
  }
  const content = parseFile(path)
  if (isPlain(content)) return content
  const wanted = 'one JSON object with configuration keys as members'
  throw new ConfigurationError(`${path} must hold ${wanted}.`)
}

/** Leaves out the mark that some editors write first. Another encoding could change a secret without a word. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })

function parseFile(path: string): unknown {
  try {
    const text = UTF8.decode(readFileSync(path))
    const value: unknown = JSON.parse(text)
    const name = repeatedName(text, value)
    if (name === null) return value
    throw new Error(`${JSON.stringify(name)} stands there twice. Remove one of them.`)
  } catch (error) {
    const { message } = error as Error
    if (!(error instanceof SyntaxError))
      throw new ConfigurationError(`${path} cannot be read: ${message}`)
    // The parser's message quotes the file, which may hold the secret key: only the place is shown.
    const place = / \(line \d+ column \d+\)/.exec(message)?.[0] ?? ''
    throw new ConfigurationError(`${path} cannot be read as JSON${place}.`)
  }
}

function* environmentKeys(
  env: Readonly<Record<string, string | undefined>>,
): Generator<[key: string, text: string]> {
  for (const name of SERVICE_NAMES) {
    const text = SERVICE_KEYS[name].plain && env[serviceKey(name)]
    if (text) yield [serviceKey(name), text]
  }
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || name === 'COLOPHON_CONFIG' || !text) continue
    yield [knownKey(name.slice(PREFIX.length), name), text]
  }
}

/** The keys that are set without the prefix only; keys with the prefix, or in the file, are set on purpose. */
function withoutPrefix(
  env: Readonly<Record<string, string | undefined>>,
  given: ReadonlyMap<string, Given>,
): readonly string[] {
  const keys = [...SERVICE_NAMES.map(serviceKey), ...LAYER_KEYS.keys()]
  return keys.filter((key) => env[key] && !given.has(key))
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function serviceSettings(given: ReadonlyMap<string, Given>, production: boolean): ServiceSettings {
  const settings: Record<string, unknown> = { ...SERVICE_DEFAULTS }
  for (const name of SERVICE_NAMES) {
    const found = given.get(serviceKey(name))
    if (found === undefined) continue
    const { fits, wants, problem } = SERVICE_KEYS[name]
    const value = valueOf(found, SERVICE_KEYS[name])
    const where = `${serviceKey(name)} (${found.source})`
    // The value itself is not shown: it may be the secret key.
    if (!fits(value)) throw new ConfigurationError(`${where} must be ${wants}.`)
    const wrong = problem?.(value) ?? null
    if (wrong !== null) throw new ConfigurationError(`${where}: ${wrong}`)
    settings[name] = value
  }
  const read = settings as unknown as ServiceSettings
  const service = withCookiesFor(read, production, (key) => given.has(key))
  const problem = serviceProblem(service)
  if (problem !== null) throw new ConfigurationError(problem)
  return Object.freeze(service)
}
