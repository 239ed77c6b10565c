// Links by mail: the way of their token to a form, the endpoint that they lead to, and the refusal of one that is dead.
import type { Endpoint } from '../../../core/app/group.ts'
import { ValidationError } from '../../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../../core/errors/detail.ts'
import type { Behaviour } from '../../../core/ports/kernel.ts'
import type { Presentation } from '../../../core/ports/page.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { Serializer } from '../../../core/ports/serializer.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import { Form } from '../../../core/std/http/form.ts'
import { withQuery } from '../../../core/std/http/query.ts'
import { type LoginCookie, loginCookie } from '../../../policies/authentication/cookies.ts'
import { PostThrottle } from '../access.ts'
import { described } from '../behaviours.ts'
import { type LifeParts, fromOwnForm } from './mail.ts'

/** The address that a token is taken at. */
export function linkTo(request: ApiRequest, route: string, token: string): string {
  return withQuery(addressOf(request, route), 'token', token)
}

export function addressOf({ namespace, linker }: ApiRequest, route: string): string {
  return linker([...namespace, route].join(':')).url({})
}

/** The token of a link, on its way from the address to a form: a cookie has it, and the address loses it. */
export class CarriedToken {
  readonly #name: string
  readonly #parts: LifeParts
  readonly #seconds: number

  constructor(name: string, parts: LifeParts, milliseconds: number) {
    this.#name = name
    this.#parts = parts
    this.#seconds = Math.ceil(milliseconds / 1000)
  }

  /** Leads to the same address without the token. Nothing is spent: programs that look through mail follow links. */
  taken(request: ApiRequest): Reply | null {
    const token = request.query.get('token')
    if (token === null) return null
    const cookie = this.#cookie(request).set(WRITABLE.test(token) ? token : '', this.#seconds)
    return uncached(null, {
      status: 302,
      headers: { Location: request.path, 'Set-Cookie': cookie },
    })
  }

  /** That of the body, else that which the browser carries. */
  of(request: Incoming, token = ''): string {
    return token || (this.#cookie(request).sent ?? '')
  }

  /** Names the token that the browser carries to a page, which must not have it. */
  digest(request: Incoming): string {
    return sha256(this.of(request), 'base64')
  }

  /** The value of `Set-Cookie` that makes the browser forget it. */
  forget(request: Incoming): string {
    return this.#cookie(request).set('', 0)
  }

  /** A neighbour could otherwise have visitors set the password of its own account. */
  #cookie(request: Incoming): LoginCookie {
    return loginCookie(request, this.#parts.accounts.sessions.settings, this.#name)
  }
}

/** What the link of a mail leads to: who follows it is shown what it is for, and a POST uses it. */
interface LinkUse<Facts extends object> {
  readonly route: string
  readonly title: string
  readonly carried: CarriedToken
  readonly shown: Serializer<Facts>
  /** What a token is for. */
  readonly facts: (token: string) => Promise<Facts>
  readonly presentation: (facts: Facts, request: ApiRequest) => Presentation
  readonly use: Behaviour
}

/** Following a link spends nothing, and its form needs nothing but the token that the browser carries. */
export function linkEndpoint<Facts extends object>(
  parts: LifeParts,
  { route, title, carried, shown, facts, presentation, use }: LinkUse<Facts>,
): Endpoint<never> {
  const handle = async (request: ApiRequest) => {
    const moved = carried.taken(request)
    if (moved !== null) return moved
    return uncached(shown.represent(await facts(carried.of(request)), request))
  }
  const look = described(handle, { shows: (at) => at.schema(shown, 'output'), presentation })
  return parts.group
    .endpoint(route, {
      title,
      queryParams: ['token'],
      throttles: [new PostThrottle(route.replace('-', '_'))],
    })
    .get({
      ...look,
      operation(at) {
        const { answers, ...known } = look.operation!(at)!
        return { ...known, answers: [...answers, { status: 302, schema: null }] }
      },
    })
    .post(fromOwnForm(ofOneLink(use, carried), parts))
}

/** A form that has no token, and is good for the link that its page was about: the browser may have opened another one since. */
function ofOneLink(behaviour: Behaviour, carried: CarriedToken): Behaviour {
  return {
    ...behaviour,
    async handle(request) {
      const body = await request.body()
      const isCarried = body instanceof Form && !body.get('token') && carried.of(request) !== ''
      const link = isCarried ? body.get(LINK) : null
      if (link !== null && link !== carried.digest(request))
        throw linkError(request, 'invalid.other_link')
      return behaviour.handle(request)
    },
    form(request, row) {
      const { fields, ...others } = behaviour.form!(request, row)!
      const { token: _, ...own } = fields
      return { ...others, fields: own, hidden: { [LINK]: carried.digest(request) } }
    },
  }
}

/** The hidden field of a form: a digest of the token that its page was made for. */
const LINK = 'link'

/** The field of a token that programs send. */
export const SENT_TOKEN: {
  readonly required: false
  readonly writeOnly: true
  readonly secret: true
  readonly maxLength: number
} = { required: false, writeOnly: true, secret: true, maxLength: 4000 }

/** What sealed tokens are written in; others are none. */
const WRITABLE = /^[\w.-]{1,4000}$/

/** One answer, whatever is wrong with a token. */
export function deadLink(request: ApiRequest): ValidationError {
  return linkError(request, 'invalid.link')
}

function linkError(
  { settings }: ApiRequest,
  code: 'invalid.link' | 'invalid.other_link',
): ValidationError {
  return new ValidationError({ [settings.nonFieldErrorsKey]: [ErrorDetail.of(code)] })
}
