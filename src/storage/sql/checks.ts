// Conditions of CHECK constraints on one column, as far as a field can express them. The databases write expressions in their
// own ways, with casts, character sets and brackets, which mean nothing here.

/** The permitted values of a column: one of `values`, or a value within limits. */
export interface Rule {
  readonly column: string
  readonly values?: readonly (string | number)[]
  readonly min?: number
  readonly max?: number
  /** Is the limit itself not allowed? */
  readonly isOpen?: boolean
  /** Are the limits those of the length, not of the value? */
  readonly ofLength?: boolean
}

type Kind = 'name' | 'text' | 'number' | 'word' | 'sign'
type Token = readonly [kind: Kind, text: string]
type Tokens = readonly Token[]

const TOKEN =
  /(?<skip>--[^\n]*|\/\*[^]*?\*\/|\s+)|'(?<text>(?:[^']|'')*)'|"(?<double>(?:[^"]|"")*)"|`(?<back>(?:[^`]|``)*)`|\[(?<square>[\p{L}_][^\]]*)\]|(?<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{M}\p{N}_$]*)|(?<sign>::|<>|!=|<=|>=|[^])/giu

/** Words are in small letters; names and texts as they are, without quotes. */
export function tokensIn(sql: string): Tokens {
  return [...sql.matchAll(TOKEN)].flatMap(({ groups = {} }): readonly Token[] => {
    const { skip, text, double, back, square, number, word, sign } = groups
    if (skip !== undefined) return []
    if (text !== undefined) return [['text', text.replaceAll("''", "'")]]
    if (number !== undefined) return [['number', number]]
    if (word !== undefined) return [['word', word.toLowerCase()]]
    if (sign !== undefined) return [['sign', sign]]
    return [['name', double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? square ?? '']]
  })
}

/** The expressions of all `CHECK (…)` in a statement that makes a table. */
export function checksIn(statement: string): readonly Tokens[] {
  const tokens = tokensIn(statement)
  return tokens.flatMap((token, at) => {
    const isCheck = is(token, 'word', 'check') && isSign(tokens[at + 1], '(')
    return isCheck ? [tokens.slice(at + 2, closing(tokens, at + 1))] : []
  })
}

function closing(tokens: Tokens, opening: number): number {
  let depth = 0
  for (let at = opening; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth++
    if (isSign(tokens[at], ')') && --depth === 0) return at
  }
  return tokens.length
}

/** The rules of an expression, which names `columns`; `null`: the expression asks for something else, too. */
export function rulesOf(check: Tokens, columns: readonly string[]): readonly Rule[] | null {
  const names = new Map(columns.map((name) => [name.toLowerCase(), name]))
  return conjunction(plain(check), (token) =>
    token !== undefined && (token[0] === 'name' || token[0] === 'word')
      ? (names.get(token[1].toLowerCase()) ?? null)
      : null,
  )
}

type Subject = (token: Token | undefined) => string | null

/** Words behind which brackets hold one value and not arguments. */
const CONNECTING: ReadonlySet<string> = new Set(['and', 'or', 'not', 'between', 'check'])
const REST_OF_TYPE: ReadonlySet<string> = new Set([
  'varying',
  'precision',
  'without',
  'with',
  'time',
  'zone',
])

/** The tokens without casts, character sets and brackets around single values. */
function plain(tokens: Tokens): Tokens {
  const left: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (isSign(token, '::')) at = endOfType(tokens, at + 1) - 1
    else if (isSign(token, ')') && isAroundOne(left)) left.splice(-2, 1)
    else if (token[0] !== 'word' || !/^_(?:utf|latin|binary)/.test(token[1])) left.push(token)
  }
  return left
}

/** Do tokens end with a bracket that is not of arguments, and one value in it? */
function isAroundOne(tokens: Tokens): boolean {
  const [before, bracket, value] = [tokens.at(-3), tokens.at(-2), tokens.at(-1)]
  const isArgument = before?.[0] === 'word' && !CONNECTING.has(before[1])
  return isSign(bracket, '(') && !isArgument && value?.[0] !== 'sign'
}

function endOfType(tokens: Tokens, start: number): number {
  let at = start + 1
  while (tokens[at]?.[0] === 'word' && REST_OF_TYPE.has(tokens[at]![1])) at++
  if (isSign(tokens[at], '(')) at = closing(tokens, at) + 1
  while (isSign(tokens[at], '[') && isSign(tokens[at + 1], ']')) at += 2
  return at
}

function conjunction(tokens: Tokens, subject: Subject): readonly Rule[] | null {
  const parts = split(unwrapped(tokens), 'and')
  if (parts.length === 1) return alternatives(parts[0]!, subject)
  const rules = parts.map((part) => conjunction(part, subject))
  return rules.includes(null) ? null : rules.flatMap((found) => found ?? [])
}

/** `x is null or x > 0` is about the values of `x`. */
function alternatives(tokens: Tokens, subject: Subject): readonly Rule[] | null {
  const parts = split(tokens, 'or')
  const isNull = (part: Tokens): boolean => {
    const [, ...rest] = unwrapped(part)
    return rest.map(([, text]) => text).join(' ') === 'is null'
  }
  const others = parts.filter((part) => !isNull(part))
  if (others.length !== 1) return null
  if (parts.length > 1) return conjunction(others[0]!, subject)
  const rule = ruleOf(others[0]!, subject)
  return rule && [rule]
}

function unwrapped(tokens: Tokens): Tokens {
  const isWrapped = isSign(tokens[0], '(') && closing(tokens, 0) === tokens.length - 1
  return isWrapped ? unwrapped(tokens.slice(1, -1)) : tokens
}

/** Splits tokens where the word stands outside of brackets. */
function split(tokens: Tokens, word: 'and' | 'or'): readonly Tokens[] {
  const parts: Token[][] = [[]]
  let [depth, isBetween] = [0, false]
  for (const token of tokens) {
    if (token[0] === 'sign') depth += ['(', '['].includes(token[1]) ? 1 : 0
    if (token[0] === 'sign') depth -= [')', ']'].includes(token[1]) ? 1 : 0
    if (is(token, 'word', 'between')) isBetween = true
    const isHere = depth === 0 && is(token, 'word', word)
    if (isHere && !(word === 'and' && isBetween)) parts.push([])
    else parts.at(-1)!.push(token)
    if (isHere) isBetween = false
  }
  return parts
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
const LENGTHS: ReadonlySet<string> = new Set(['length', 'char_length', 'character_length'])

function ruleOf(given: Tokens, subject: Subject): Rule | null {
  const tokens = unwrapped(given)
  const [first, second, third] = tokens
  const about = subject(third)
  // A field reads values of this type anyway.
  const isTyped =
    is(first, 'word', 'typeof') || (is(first, 'word', 'date') && endsWith(tokens, 'is'))
  if (isTyped && about !== null) return { column: about }
  if (first?.[0] === 'word' && LENGTHS.has(first[1]) && isSign(second, '(')) {
    const end = closing(tokens, 1)
    const argument = tokens
      .slice(2, end)
      .find(([kind, text]) => kind !== 'sign' && text !== 'coalesce')
    const inner = ruleOf([argument ?? ['sign', ''], ...tokens.slice(end + 1)], subject)
    return inner === null ? null : lengthOf(inner)
  }
  const column = subject(first)
  if (column !== null) return ruleAbout(column, tokens.slice(1))
  const flipped = FLIPPED[second?.[1] ?? '']
  const other = tokens.length === 3 ? subject(third) : null
  if (flipped === undefined || other === null) return null
  return ruleAbout(other, [['sign', flipped], first!])
}

/** `date(x) is x` */
function endsWith(tokens: Tokens, word: string): boolean {
  return tokens.length === 6 && is(tokens[4], 'word', word) && tokens[5]![1] === tokens[2]![1]
}

/** `length(x) = 36` is both limits. */
function lengthOf({ column, values, ...limits }: Rule): Rule | null {
  if (values === undefined) return { column, ...limits, ofLength: true }
  const [length] = values
  if (values.length !== 1 || typeof length !== 'number') return null
  return { column, min: length, max: length, ofLength: true }
}

function ruleAbout(column: string, [sign, ...rest]: Tokens): Rule | null {
  if (sign === undefined) return null
  if (is(sign, 'word', 'in') || isSign(sign, '=')) {
    const values = valuesIn(rest)
    return values && { column, values }
  }
  if (is(sign, 'word', 'between')) {
    const [min, max] = [numberIn(rest[0]), numberIn(rest[2])]
    return rest.length === 3 && min !== null && max !== null ? { column, min, max } : null
  }
  const limit = rest.length === 1 ? numberIn(rest[0]) : null
  if (limit === null || !(sign[1] in FLIPPED)) return null
  const bound = sign[1].startsWith('>') ? { min: limit } : { max: limit }
  return { column, ...bound, ...(!sign[1].endsWith('=') && { isOpen: true }) }
}

/** `('a', 'b')`, `any (array['a', 'b'])`, or one value. */
function valuesIn(tokens: Tokens): readonly (string | number)[] | null {
  const inside = tokens.filter(
    ([kind, text]) => kind !== 'sign' && !(kind === 'word' && /^(?:any|array)$/.test(text)),
  )
  const isList = tokens.every(([kind, text]) => kind !== 'sign' || '()[],'.includes(text))
  if (inside.length === 0 || !isList) return null
  if (inside.every(([kind]) => kind === 'text')) return [...new Set(inside.map(([, text]) => text))]
  const numbers = inside.map(([kind, text]) => (kind === 'number' ? Number(text) : NaN))
  return numbers.some(Number.isNaN) ? null : [...new Set(numbers)]
}

/** PostgreSQL writes negative numbers as texts with a cast. */
function numberIn(token: Token | undefined): number | null {
  if (token === undefined || (token[0] !== 'number' && token[0] !== 'text')) return null
  return /^-?\d+(?:\.\d+)?$/.test(token[1]) ? Number(token[1]) : null
}

function is(token: Token | undefined, kind: Kind, text: string): boolean {
  return token?.[0] === kind && token[1] === text
}

function isSign(token: Token | undefined, text: string): boolean {
  return is(token, 'sign', text)
}
