import type { Accounts } from '../create-accounts.ts'
import { ApiError, AuthenticationFailed, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { Message } from '../../core/messages/message.ts'
import type { PasswordVerifier, Token, TokenIssuer, User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { LoginFactors } from '../../core/ports/sessions.ts'
import { uncached } from '../../core/replies/reply.ts'
import type { ErrorFacts, JSONSchema } from '../../core/types/documents.ts'
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SCHEMA,
  checkCode,
  credentialsIn,
  having,
  membersIn,
  refusedCredentials,
} from './sent-credentials.ts'
import { endUnlessEnough, needsMore, userByPassword } from './session-login.ts'

/** The parts of the endpoint that gives tokens. */
export interface ObtainTokenOptions<U extends User = User> {
  readonly accounts: { readonly users: PasswordVerifier<U>; readonly tokens: TokenIssuer }
  /** Takes the `code` of users with a second factor: `secondFactors` of `colophon/factors`. @default such users are refused */
  readonly factors?: LoginFactors<U>
  /** Body of the answer. @default `{ token: key }` */
  readonly respond?: (issued: { readonly token: Token; readonly user: U }) => object
}

/**
 * POST of user name and password, answered with the user's token: always 200, the same one on every
 * call (K20–K29). Wrong credentials are 400. Reads JSON and forms, writes JSON, asks for no permission and counts against no
 * throttle, whatever the layers around it say; the endpoint's own policy may. A user with a second factor gets 403
 * (`second_factor_required`), and with `factors` a token for the password and a `code`.
 *
 * @example
 * api.endpoint('token').post(obtainToken({ accounts }))
 */
export function obtainToken<U extends User = User>({
  accounts: { users, tokens },
  factors,
  respond,
}: ObtainTokenOptions<U>): Behaviour<ApiRequest> {
  return {
    policy: { ...POLICY, DEFAULT_THROTTLE_CLASSES: [] },
    takesPasswords: true,
    operation: () => ({
      summary: 'Obtain a token',
      body: bodyOf(factors),
      answers: [{ status: 200, schema: respond === undefined ? ISSUED : {} }],
      errors: refusalsOf(users),
    }),
    form: () => ({ fields: { ...FIELDS, ...(factors && CODE_FIELD) } }),
    async handle(request) {
      const { user, isWhole } = await userIn(request, users, factors)
      const token = await given(request, async () => tokens.obtain(user))
      // A token that this call made needs no end: no one has seen it.
      if (!isWhole) await endUnlessEnough([users, factors], user, () => null)
      return uncached(respond?.({ token, user }) ?? { token: token.key })
    },
  }
}

const FIELDS = {
  ...CREDENTIAL_FIELDS,
  token: { type: 'string', required: false, read_only: true, label: 'Token' },
}

const CODE_FIELD = {
  code: { type: 'string', required: false, read_only: false, label: 'Code' },
}

const TEXT: JSONSchema = { type: 'string' }
const ISSUED = having({ token: TEXT })

const POLICY = {
  DEFAULT_RENDERER_CLASSES: ['JSONRenderer'],
  DEFAULT_PARSER_CLASSES: ['FormParser', 'MultiPartParser', 'JSONParser'],
  DEFAULT_PERMISSION_CLASSES: [],
} as const

/** `isWhole`: a second factor was proved too. @throws ValidationError (400) refused; SecondFactorRequired (403) no code */
async function userIn<U extends User>(
  request: ApiRequest,
  users: PasswordVerifier<U>,
  factors: LoginFactors<U> | undefined,
): Promise<{ readonly user: U; readonly isWhole: boolean }> {
  const { username, password } = await credentialsIn(request, ['username', 'password'])
  const user = await userByPassword(request, { users, factors }, username, password)
  if (user === null) {
    await request.guesses?.wrong()
    throw refusedCredentials(request)
  }
  const isWhole = factors !== undefined && (await needsMore([users, factors], user))
  if (isWhole) await checkCode(request, user, factors)
  return { user, isWhole }
}

function bodyOf(factors: unknown, chosen: object = {}): JSONSchema {
  const code = factors === undefined ? {} : { code: TEXT }
  return {
    ...CREDENTIAL_SCHEMA,
    properties: { ...CREDENTIAL_PROPERTIES, ...code, ...chosen },
  }
}

/** The result of `give`. If the password has changed since the check, the credentials are refused. */
async function given<T>(request: ApiRequest, give: () => Promise<T>): Promise<T> {
  try {
    return await give()
  } catch (error) {
    if (error instanceof AuthenticationFailed) throw refusedCredentials(request)
    throw error instanceof ValidationError ? underScope(error) : error
  }
}

/** An error about `scopes` as one about `scope`, which clients send, as in OAuth. */
function underScope(error: ValidationError): ValidationError {
  const { scopes } = error.detail as { readonly scopes?: ValidationError['detail'] }
  return scopes === undefined ? error : new ValidationError({ scope: scopes })
}

function refusalsOf({ asksForFactors }: PasswordVerifier): readonly ErrorFacts[] {
  const factors = { status: 403, codes: ['second_factor_required'] }
  return [{ status: 400, codes: ['invalid'] }, ...(asksForFactors ? [factors] : [])]
}

/** The accounts that the refresh tokens belong to. */
export interface TokenPairOptions<U extends User = User> {
  /** With `refreshTokens`. */
  readonly accounts: Accounts<U>
  /** For `obtainTokenPair`: takes the `code` of users with a second factor. @default such users are refused */
  readonly factors?: LoginFactors<U>
}

/** 400: no refresh token, or it was spent, or its family is over (RFC 6749, 5.2). `error` in the body has the code, too. */
export class InvalidGrant extends ApiError {
  static override readonly status = 400
  static override readonly code: string = 'invalid_grant'

  constructor(
    code: 'invalid_grant' | 'invalid_scope' | 'unsupported_grant_type' = 'invalid_grant',
  ) {
    super({ detail: Message.of(code), error: code }, code, { 'Cache-Control': 'no-store' })
  }
}

/** No scheme is asked: browsers send no credential of these requests by themselves, so no other site can send one. */
const PAIR_POLICY = { ...POLICY, DEFAULT_AUTHENTICATION_CLASSES: [] } as const

/**
 * POST of user name and password, answered with an access token of short life and a refresh token: a new family on every call.
 * `label` names the device (default: its `User-Agent`), and `scope` limits it to words with spaces between them. Wrong credentials
 * are 400. A user with a second factor gets 403 (`second_factor_required`); with `factors`, the same request once more with a
 * `code`, of an app or a recovery code, gives the tokens. Wrong codes are 400, and are counted as those of every log-in.
 *
 * @example
 * const accounts = defineAccounts({ database, refreshTokens: {} })
 * const factors = secondFactors({ accounts, issuer: 'Library' })
 * api.endpoint('log-in').post(obtainTokenPair({ accounts, factors }))
 * api.endpoint('refresh').post(refreshTokenPair({ accounts }))
 * api.endpoint('log-out').post(revokeTokenPair({ accounts }))
 *
 * @throws ConfigurationError the accounts have no `refreshTokens`
 */
export function obtainTokenPair<U extends User = User>({
  accounts,
  factors,
}: TokenPairOptions<U>): Behaviour<ApiRequest> {
  accounts.families.require()
  return {
    policy: PAIR_POLICY,
    takesPasswords: true,
    operation: () => ({
      summary: 'Log in for an access token and a refresh token',
      body: bodyOf(factors, CHOSEN),
      answers: [{ status: 200, schema: PAIR }],
      errors: refusalsOf(accounts.users),
    }),
    form: () => ({ fields: { ...CREDENTIAL_FIELDS, ...(factors && CODE_FIELD) } }),
    async handle(request) {
      const { label = request.header('user-agent') ?? '', scope } = await chosenIn(request)
      const wanted = scope === undefined ? null : wordsIn(scope)
      // Scopes are checked before a code is spent.
      const scopes = await given(request, async () => accounts.families.checked(wanted))
      const { user, isWhole } = await userIn(request, accounts.users, factors)
      const { families } = accounts.by({ user, requestId: request.id })
      const terms = { label, scopes }
      const { answer, family } = await given(request, async () => families.begin(user, terms))
      const end = () => families.end(user, family.id)
      if (!isWhole) await endUnlessEnough([accounts.users, factors], user, end)
      return uncached(answer)
    },
  }
}

/** A scope that cannot be read never stands for everything. @throws ValidationError (400) */
async function chosenIn(request: ApiRequest): Promise<{ label?: string; scope?: string }> {
  const { label, scope } = await membersIn(request)
  const sent = Object.entries({ label, scope }).filter(([, value]) => value !== undefined)
  const wrong = sent.flatMap(([name, value]) => {
    if (typeof value !== 'string') return [[name, [ErrorDetail.of('invalid.text')]]]
    return name === 'scope' && value.trim() === '' ? [[name, [ErrorDetail.of('blank')]]] : []
  })
  if (wrong.length > 0) throw new ValidationError(Object.fromEntries(wrong))
  return Object.fromEntries(sent)
}

/**
 * POST of a `refresh_token`, as JSON or as the form of RFC 6749, 6 (`grant_type=refresh_token`): it is spent, and the answer has
 * another one with a new access token. One that was spent ends its family, see `refreshTokens`. Whatever is wrong with it is 400
 * (`invalid_grant`). A `scope` holds this access token to some of the words of the family: one more is 400 (`invalid_scope`), and
 * spends nothing.
 */
export function refreshTokenPair<U extends User = User>({
  accounts,
}: TokenPairOptions<U>): Behaviour<ApiRequest> {
  accounts.families.require()
  return {
    policy: PAIR_POLICY,
    operation: () => ({
      summary: 'Use a refresh token',
      body: {
        ...having({ refresh_token: SECRET }),
        properties: { refresh_token: SECRET, grant_type: { const: 'refresh_token' }, scope: TEXT },
      },
      answers: [{ status: 200, schema: PAIR }],
      errors: [{ status: 400, codes: REFRESH_CODES }],
    }),
    form: () => ({ fields: { refresh_token: field('Refresh token') } }),
    async handle(request) {
      const { grant_type: type = 'refresh_token', scope } = await membersIn(request)
      if (type !== 'refresh_token') throw new InvalidGrant('unsupported_grant_type')
      const { refresh_token: token } = await credentialsIn(request, ['refresh_token'])
      const { families } = accounts.by({ user: null, requestId: request.id })
      // A parameter without a value counts as omitted (RFC 6749, 3.2).
      const scopes = scope === undefined || scope === '' ? null : wordsIn(scope)
      const use = () => families.use(token, { scopes }).catch(asGrant)
      const { guesses } = request
      const pair = guesses === null ? await use() : await guesses.key(token, use, SPENT)
      if (pair === null) throw new InvalidGrant()
      return uncached(pair.answer)
    },
  }
}

const SPENT = { isSingleUse: true }
const REFRESH_CODES = ['invalid', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type']

/** The words of a `scope`. Another value than a text gives an empty list, and never all scopes. */
function wordsIn(scope: unknown): readonly string[] {
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
}

function asGrant(error: unknown): never {
  throw error instanceof ValidationError ? new InvalidGrant('invalid_scope') : error
}

/** POST of a `token` of either kind: its family ends with all of its tokens. Always 204, also for unknown ones (RFC 7009). */
export function revokeTokenPair<U extends User = User>({
  accounts,
}: TokenPairOptions<U>): Behaviour<ApiRequest> {
  accounts.families.require()
  return {
    policy: PAIR_POLICY,
    operation: () => ({
      summary: 'End a refresh token and what came of it',
      body: having({ token: SECRET }),
      answers: [{ status: 204, schema: null }],
      errors: [{ status: 400, codes: ['invalid'] }],
    }),
    form: () => ({ fields: { token: field('Token') } }),
    async handle(request) {
      const { token } = await credentialsIn(request, ['token'])
      await accounts.by({ user: null, requestId: request.id }).families.endBy(token)
      return uncached(null, { status: 204 })
    },
  }
}

function field(label: string) {
  return { type: 'string', required: true, read_only: false, label }
}

const SECRET: JSONSchema = { ...TEXT, minLength: 1, writeOnly: true }
const CREDENTIAL_PROPERTIES = CREDENTIAL_SCHEMA['properties'] as object
const CHOSEN = { label: TEXT, scope: TEXT }
const PAIR_PROPERTIES = {
  access_token: TEXT,
  refresh_token: TEXT,
  token_type: { const: 'Bearer' },
  expires_in: { type: 'integer' },
}
const PAIR: JSONSchema = {
  ...having(PAIR_PROPERTIES),
  properties: { ...PAIR_PROPERTIES, scope: TEXT },
}
