// Links by mail: the way of their token to a form, the endpoint that they lead to, and the refusal of an invalid link.
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
import { withAnswer } from '../behaviours.ts'
import { type LifeParts, fromOwnForm } from './mail.ts'

/** The address that takes a token. */
export function linkTo(request: ApiRequest, route: string, token: string): string {
  return withQuery(addressOf(request, route), 'token', token)
}

export function addressOf({ namespace, linker }: ApiRequest, route: string): string {
  return linker([...namespace, route].join(':')).url({})
}

/** The token of a link on its way from the address to a form: it moves into a cookie. */
export class CarriedToken {
  readonly #name: string
  readonly #parts: LifeParts
  readonly #seconds: number

  constructor(name: string, parts: LifeParts, milliseconds: number) {
    this.#name = name
    this.#parts = parts
    this.#seconds = Math.ceil(milliseconds / 1000)
  }

  /** Redirects to the same address without the token. The token stays valid: programs that scan mail follow links. */
  taken(request: ApiRequest): Reply | null {
    const token = request.query.get('token')
    if (token === null) return null
    const cookie = this.#cookie(request).set(WRITABLE.test(token) ? token : '', this.#seconds)
    return uncached(null, {
      status: 302,
      headers: { Location: request.path, 'Set-Cookie': cookie },
    })
  }

  /** The token of the body, else the one that the browser carries. */
  of(request: Incoming, token = ''): string {
    return token || (this.#cookie(request).sent ?? '')
  }

  /** A digest that names the carried token to a page, which must not contain the token. */
  digest(request: Incoming): string {
    return sha256(this.of(request), 'base64')
  }

  /** The value of `Set-Cookie` that makes the browser forget the token. */
  forget(request: Incoming): string {
    return this.#cookie(request).set('', 0)
  }

  /** The name of the cookie keeps other hosts from setting it: visitors could otherwise set the password of a stranger. */
  #cookie(request: Incoming): LoginCookie {
    return loginCookie(request, this.#parts.accounts.sessions.settings, this.#name)
  }
}

/** A link by mail: GET shows the purpose of the link, and POST uses it. */
interface LinkUse<Facts extends object> {
  readonly route: string
  readonly title: string
  readonly carried: CarriedToken
  readonly shown: Serializer<Facts>
  /** The facts that a token stands for. */
  readonly facts: (token: string) => Promise<Facts>
  readonly presentation: (facts: Facts, request: ApiRequest) => Presentation
  readonly use: Behaviour
}

/** Following a link spends nothing, and its form needs only the token that the browser carries. */
export function linkEndpoint<Facts extends object>(
  parts: LifeParts,
  { route, title, carried, shown, facts, presentation, use }: LinkUse<Facts>,
): Endpoint<never> {
  const handle = async (request: ApiRequest) => {
    const moved = carried.taken(request)
    if (moved !== null) return moved
    return uncached(shown.represent(await facts(carried.of(request)), request))
  }
  const look = withAnswer(handle, { shows: (at) => at.schema(shown, 'output'), presentation })
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

/** The form has no token, and works only for the link of its page: the browser may have opened another link since. */
function ofOneLink(behaviour: Behaviour, carried: CarriedToken): Behaviour {
  return {
    ...behaviour,
    async handle(request) {
      const body = await request.body()
      const isCarried = body instanceof Form && !body.get('token') && carried.of(request) !== ''
      const link = isCarried ? body.get(LINK) : null
      if (link !== null && link !== carried.digest(request))
        throw deadLink(request, 'invalid.other_link')
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

/** The form of sealed tokens; any other text is not a token. */
const WRITABLE = /^[\w.-]{1,4000}$/

/** The same error for every wrong token, so that it does not tell why. */
export function deadLink(
  { settings }: ApiRequest,
  code: 'invalid.link' | 'invalid.other_link' = 'invalid.link',
): ValidationError {
  return new ValidationError({ [settings.nonFieldErrorsKey]: [ErrorDetail.of(code)] })
}
