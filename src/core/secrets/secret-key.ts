import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Logger } from '../ports/kernel.ts'
import type { Seals } from '../ports/service-facts.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Configuration } from '../settings/configuration.ts'
import { type ServiceSettings, serviceKey } from '../settings/service-keys.ts'
import { randomToken } from './keys.ts'
import { Seal } from './seal.ts'

/** The beginning of every refusal because a secret is missing. */
export const SECRET_IS_MISSING = 'SECRET_KEY is missing.'

/** The database beside which a secret of development may be kept; without a file, the database is on a server. */
interface Place {
  readonly path?: string | null
}

/** `SECRET_KEY`; outside production, where it is not set, one that is kept beside an SQLite database. */
export function secretOf(configuration: Configuration, place: Place): string {
  requireSecret(configuration, place)
  return configuration.service.secretKey ?? developmentSecretKey(place.path!)
}

/** Refuses where no secret is set and none may be made up; makes none. */
export function requireSecret(configuration: Configuration, place: Place): void {
  if (hasSecret(configuration, place)) return
  throw new ConfigurationError(
    `${SECRET_IS_MISSING} ${place.path ? 'In production' : 'For a database on a server'} it must be set: a long random text that seals the tokens. ${HOW_TO_MAKE_ONE} Keep it.`,
  )
}

/** Is a secret set, or may one be made? A file beside the database belongs to this machine alone. */
function hasSecret({ service, production }: Configuration, { path }: Place): boolean {
  return service.secretKey !== null || (path != null && !production)
}

export function requireStrength(secret: string): void {
  const problem = secretProblem(secret)
  if (problem !== null) throw new ConfigurationError(`SECRET_KEY ${problem}. ${HOW_TO_MAKE_ONE}`)
}

/**
 * Refuses in production a `SECRET_KEY` that could be guessed. Elsewhere the log warns of it. Old secrets that could be
 * guessed only cause a warning, because they must open what they sealed until they are rotated out.
 */
export function checkSecrets(configuration: Configuration, logger: Logger): void {
  const { service, given, production } = configuration
  if (service.secretKey !== null && production) requireStrength(service.secretKey)
  for (const { key, message, fix } of weakSecrets(service)) {
    // A secret that tests or embedding programs set in code is no mistake of the operator.
    if (given.get(serviceKey(key))!.source === 'configuration') continue
    logger.warn?.({ event: 'secret.weak', key: serviceKey(key), message: `${message} ${fix}` })
  }
}

/** The secrets of an operator that could be guessed, and what to do about them. */
export function weakSecrets(service: ServiceSettings): readonly WeakSecret[] {
  const secretsOf = {
    secretKey: service.secretKey === null ? [] : [service.secretKey],
    secretKeyFallbacks: service.secretKeyFallbacks,
  }
  return Object.entries(secretsOf).flatMap(([setting, secrets]): WeakSecret[] => {
    const key = setting as keyof typeof secretsOf
    const problem = secrets.map(secretProblem).find((each) => each !== null)
    if (problem === undefined) return []
    const fix = key === 'secretKey' ? HOW_TO_MAKE_ONE : HOW_TO_DROP_ONE
    return [{ key, message: `${serviceKey(key)} ${problem}.`, fix }]
  })
}

interface WeakSecret {
  readonly key: 'secretKey' | 'secretKeyFallbacks'
  /** The problem, as a sentence. */
  readonly message: string
  readonly fix: string
}

/**
 * The seals of an application: by `SECRET_KEY`, else those of its accounts, else, outside production, by a secret that is
 * kept in `place` and made on first use. `null`: there is no secret.
 */
export function sealsFor(
  configuration: Configuration,
  ofAccounts: Seals | null,
  place: Place,
): Seals | null {
  const { secretKey, secretKeyFallbacks } = configuration.service
  if (secretKey === null && ofAccounts !== null) return ofAccounts
  if (!hasSecret(configuration, place)) return null
  return new Seal('texts', () => [secretOf(configuration, place), ...secretKeyFallbacks])
}

/** For an application without a secret: sealing is refused, and names the missing key. */
export const NO_SEALS: Seals = Object.freeze({ seal: refuse, unseal: refuse })

function refuse(): never {
  throw new ConfigurationError(
    `${SECRET_IS_MISSING} Set it to a long random text, which seals what clients bring back.`,
  )
}

const BYTES = 32
const DIFFERENT = 7
export const HOW_TO_MAKE_ONE = 'Make one with `npx colophon secret`.'
const HOW_TO_DROP_ONE = 'Take it out as soon as what it sealed is no longer needed.'

/**
 * Why a text is no secret to rely on; `null`: it looks like chance. A client that holds something sealed, such as a
 * cursor, can try secrets as fast as a machine does. The sentence shows nothing of the text itself.
 */
function secretProblem(secret: string): string | null {
  const bytes = Buffer.byteLength(secret)
  if (bytes < BYTES) return `has ${bytes} of the ${BYTES} bytes that it needs`
  if (PLACEHOLDER.test(secret)) return 'holds the words of a placeholder'
  if (new Set(secret).size < DIFFERENT) return `has fewer than ${DIFFERENT} different characters`
  if (repeats(secret)) return 'is one text again and again'
  return counts(secret) ? 'mostly repeats characters, or counts' : null
}

const PLACEHOLDER =
  /change.?me|replace.?(?:me|this)|your.?secret|(?:^|my|the|some|super).?secret.?key|password|placeholder|example|insecure|random.?text/i

/** Characters that are enough where no other text could be repeated. */
const ENOUGH = 16

/** Is it a short text, at least twice, perhaps cut off at the end? */
function repeats(secret: string): boolean {
  const longest = Math.min(ENOUGH - 1, Math.floor(secret.length / 2))
  const rests = Array.from({ length: longest }, (_, at) => secret.slice(at + 1))
  return rests.some((rest) => secret.startsWith(rest))
}

/** Are more than half of the characters the same as the one before, or its neighbours: `1234`, `dcba`, `aaaa`? */
function counts(secret: string): boolean {
  const codes = Array.from({ length: secret.length }, (_, at) => secret.charCodeAt(at))
  const followers = codes.slice(1).filter((code, at) => Math.abs(code - codes[at]!) <= 1)
  return followers.length * 2 > codes.length
}

/** Kept in `<databasePath>.key` for its owner alone; made on the first call, once for all processes. */
export function developmentSecretKey(databasePath: string): string {
  const path = `${databasePath}.key`
  try {
    if (!existsSync(path)) create(path)
    const secret = readFileSync(path, 'utf8').trim()
    if (secret === '') throw new Error('The file is empty.')
    return secret
  } catch (error) {
    throw new ConfigurationError(
      `The secret in ${path} can be neither read nor made. Set SECRET_KEY, or make the file readable.`,
      { cause: error },
    )
  }
}

/** Another process may be faster. A link appears at once and whole, and never replaces a file. */
function create(path: string): void {
  const secret = randomToken(48, 'base64url')
  const draft = `${path}.${randomToken(6, 'hex')}`
  try {
    writeFileSync(draft, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
