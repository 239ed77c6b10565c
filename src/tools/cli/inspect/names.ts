// Names of a database as names of a program and its API. A column may have any name.

export type Naming = 'camel' | 'snake'

/** `filmActor`, `film_actor` and `Film Actor` have the same words. */
export function wordsIn(name: string): readonly string[] {
  return name
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** A name for clients; `standIn` if the database's name has no letter or digit. */
export function apiName(name: string, naming: Naming, standIn: string): string {
  const words = wordsIn(name)
  if (words.length === 0) return standIn
  return naming === 'snake' ? words.join('_') : camel(words)
}

function camel([first = '', ...rest]: readonly string[]): string {
  return first + rest.map(capitalized).join('')
}

export function capitalized(word: string): string {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length)
}

/** Adds a number to each name that an earlier one has. */
export function uniqueNames(names: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken)
  return names.map((name) => {
    let free = name
    for (let number = 2; used.has(free); number++) free = `${name}${number}`
    used.add(free)
    return free
  })
}

/** A name for a constant that is not a reserved word. */
export function identifier(name: string): string {
  const made = camel(wordsIn(name)) || 'table'
  const safe = IDENTIFIER.test(made) ? made : `_${made}`
  return RESERVED.has(safe) ? `${safe}_` : safe
}

export const IDENTIFIER: RegExp = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

const RESERVED: ReadonlySet<string> = new Set(
  `arguments as async await boolean break case catch class const continue debugger default delete do else
  enum eval export extends false finally for from function get if implements import in infinity instanceof
  interface let nan new null number object of package private protected public return set static string
  super switch symbol this throw true try type typeof undefined var void while with yield`.split(
    /\s+/,
  ),
)

/** Names that the files of a program use beside those of its tables. */
export const TAKEN: readonly string[] =
  `database db drizzle drizzleSource drizzleTable field openDatabase prisma prismaTable schema serializer
  sqlSource sqlTable stores unique uniqueTogether`.split(/\s+/)

/** Does a column's name sound like a secret? A plain name counts only if the table's name does. */
export function soundsSecret(name: string, table: string): boolean {
  const words = wordsIn(name)
  const pairs = words.map((word, at) => `${word} ${words[at + 1] ?? ''}`.trim())
  if ([...words, ...pairs].some((word) => SECRETS.has(word))) return true
  // `authtoken_token.key` gives every right, and so does the row of a session.
  return PLAIN.has(words.join(' ')) && SECRET_TABLE.test(wordsIn(table).join(' '))
}

const PLAIN: ReadonlySet<string> = new Set('key|value|code|digest|data|payload|sid|sess'.split('|'))
const SECRET_TABLE = /(?:token|session|secret|credential|password)s?(?: |$)/

const SECRETS: ReadonlySet<string> = new Set(
  `password|passwords|passwd|pwd|pass|passcode|passphrase|passhash|secret|secrets|token|tokens|hash|hashes|
  salt|otp|totp|pin|credential|credentials|cvv|apikey|api key|private key|secret key|access key|signing key|
  encryption key|recovery code|recovery codes|session key|session id|session data`
    .split('|')
    .map((word) => word.trim()),
)
