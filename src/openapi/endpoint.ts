import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest, Reply } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import type { Context, Service } from '../pipeline/context.ts'
import { BytesReply, reply } from '../replies/reply.ts'
import { sha256 } from '../std/crypto/digest.ts'
import { isKnown, quotedTag } from '../std/http/files.ts'
import { oncePer } from '../std/once.ts'
import { type DocumentInfo, type Subject, documentOf, versionsOf } from './document.ts'
import type { Described } from './place.ts'

/** What an endpoint of documents shows, and how. */
export interface OpenApiOptions extends DocumentInfo {
  /**
   * Parameter of the query that names a version, in place of that of the request: each document has an address of
   * its own, whatever the scheme. `null`: there is none. @default 'version'
   */
  readonly versionParam?: string | null
  /** Which endpoints stand in the documents. @default all of them */
  readonly shows?: (endpoint: Pick<Described, 'name' | 'path' | 'settings'>) => boolean
  /** @default 'no-cache': caches ask whether theirs is still the same */
  readonly cacheControl?: string
}

/**
 * GET of the OpenAPI 3.1 document of the version of the request, or of the one that `?version=` names; of neither, the
 * newest. Who may see it is up to the endpoint's permissions; all who may see the same. A document is made when it
 * is first asked for, and is answered with an `ETag`, and with 304 to those who have it.
 *
 * @throws NotFound (404) no endpoint has this version
 * @example
 * api.endpoint('openapi', { permissions: [] }).get(openApi({ title: 'Gazetteer' }))
 */
export function openApi(options: OpenApiOptions = {}): Behaviour<ApiRequest> {
  const { versionParam = 'version', cacheControl = 'no-cache', shows, ...info } = options
  const shelfOf = oncePer((service: Service) => new Shelf(service, info, { shows, versionParam }))
  return {
    policy: { DEFAULT_RENDERER_CLASSES: ['JSONRenderer'] },
    queryParams: () => (versionParam === null ? [] : [versionParam]),
    operation: () => ({
      summary: 'The OpenAPI document of a version',
      parameters: versionParam === null ? [] : [parameterOf(versionParam)],
      body: null,
      answers: [
        { status: 200, schema: DOCUMENT, headers: { ETag } },
        { status: 304, description: 'The client has it.', schema: null },
      ],
      errors: [{ status: 404, codes: ['not_found'] }],
    }),
    handle(request) {
      const { service } = request as unknown as Context
      const named = versionParam === null ? null : request.query.get(versionParam)
      return answer(shelfOf(service).find(named, request), cacheControl, request)
    },
  }
}

function answer({ text, tag }: Printed, cacheControl: string, request: ApiRequest): Reply {
  const headers = { ETag: tag, 'Cache-Control': cacheControl }
  if (isKnown(request, { tag, modified: null })) return reply(null, { status: 304, headers })
  return new BytesReply(text, { headers, contentType: 'application/json' })
}

interface Printed {
  readonly text: string
  readonly tag: string
}

interface Choice {
  readonly shows: OpenApiOptions['shows']
  readonly versionParam: string | null
}

/** The documents of a service that were asked for. They are the same whatever the host: clients cannot have more made. */
class Shelf {
  readonly #subject: Subject
  readonly #versions: readonly string[]
  readonly #info: DocumentInfo
  readonly #printed = new Map<string | null, Printed>()

  constructor(service: Service, info: DocumentInfo, { shows, versionParam }: Choice) {
    const endpoints = endpointsOf(service).filter((each) => shows?.(each) ?? true)
    const linkTo = (version: string): string => `?${versionParam}=${encodeURIComponent(version)}`
    const links = versionParam === null ? {} : { linkTo }
    this.#subject = { endpoints, origin: null, hosts: service.hosts, ...links }
    this.#versions = versionsOf(this.#subject)
    this.#info = info
  }

  /** @throws NotFound no endpoint has this version */
  find(named: string | null, { version }: ApiRequest): Printed {
    const wanted = named ?? version ?? this.#versions.at(-1) ?? null
    if (wanted !== null && !this.#versions.includes(wanted))
      throw new NotFound(Message.of('not_found.version'))
    const known = this.#printed.get(wanted)
    if (known !== undefined) return known
    const text = JSON.stringify(documentOf(this.#subject, wanted, this.#info))
    const printed = { text, tag: quotedTag(sha256(text).slice(0, 32)) }
    this.#printed.set(wanted, printed)
    return printed
  }
}

/** All that a service has, as documents see it. */
export function endpointsOf({ urls, endpoints }: Service): readonly Described[] {
  return urls.routes.map(({ name, path }) => {
    const { facts, settings, behaviours } = endpoints.get(name)!
    return { ...facts, path, settings, behaviours }
  })
}

function parameterOf(name: string) {
  const description = 'A version, in place of that of the request.'
  return { name, description, schema: { type: 'string' } }
}

const ETag = { description: 'Changes with the document.', schema: { type: 'string' } }

const DOCUMENT = {
  description: 'An OpenAPI document (https://spec.openapis.org/oas/v3.1.0).',
  type: 'object',
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.' },
    info: { type: 'object' },
    paths: { type: 'object' },
    components: { type: 'object' },
  },
  required: ['openapi', 'info', 'paths'],
}
