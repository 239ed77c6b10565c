import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { NotFound } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { reply } from '../../core/replies/reply.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import { isKnown } from '../../core/std/http/files.ts'
import { oncePer } from '../../core/std/once.ts'
import type { DocumentInfo } from '../../core/types/documents.ts'
import { type DocumentSubject, documentOf, versionsOf } from './document.ts'
import type { DocumentedEndpoint } from './endpoint-versions.ts'

/** Options for the endpoint of documents. Its facts about the service come before those of the api (`about`). */
export interface OpenApiOptions extends DocumentInfo {
  /**
   * Parameter of the query that names a version, in place of that of the request: each document has an address of
   * its own, whatever the scheme. `null`: there is none. @default 'version'
   */
  readonly versionParam?: string | null
  /** Chooses the endpoints in the documents. @default all of them */
  readonly shows?: (endpoint: Pick<DocumentedEndpoint, 'name' | 'path' | 'settings'>) => boolean
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
  const { versionParam = 'version', cacheControl = 'no-cache' } = options
  const cacheOf = oncePer((service: Service) => new DocumentCache(service, options))
  return {
    policy: { DEFAULT_RENDERER_CLASSES: ['JSONRenderer'] },
    parameters: () => (versionParam === null ? [] : [parameterOf(versionParam)]),
    operation: () => ({
      summary: 'The OpenAPI document of a version',
      body: null,
      answers: [
        { status: 200, schema: DOCUMENT, headers: { ETag } },
        { status: 304, description: 'The client has it.', schema: null },
      ],
      errors: [{ status: 404, codes: ['unknown_version'] }],
    }),
    handle(request) {
      const { service } = contextOf(request)
      const named = versionParam === null ? null : request.query.get(versionParam)
      return answer(cacheOf(service).find(named, request), cacheControl, request)
    },
  }
}

function answer({ bytes, tag }: Printed, cacheControl: string, request: ApiRequest): Reply {
  const headers = { ETag: tag, 'Cache-Control': cacheControl }
  if (isKnown(request, { tag, modified: null })) return reply(null, { status: 304, headers })
  return reply(bytes, { headers, contentType: 'application/json' })
}

type Service = ReturnType<typeof contextOf>['service']

interface Printed {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly tag: string
}

/** The documents that were asked for. They do not depend on the host, so clients cannot have more made. */
class DocumentCache {
  readonly #subject: DocumentSubject
  readonly #versions: readonly string[]
  readonly #info: DocumentInfo
  readonly #printed = new Map<string | null, Printed>()

  constructor(service: Service, options: OpenApiOptions) {
    const { versionParam = 'version', cacheControl: _, shows, ...info } = options
    const endpoints = endpointsOf(service).filter((each) => shows?.(each) ?? true)
    const linkTo = (version: string): string => `?${versionParam}=${encodeURIComponent(version)}`
    const links = versionParam === null ? {} : { linkTo }
    this.#subject = { endpoints, origin: null, hosts: service.hosts, ...links }
    this.#versions = versionsOf(this.#subject)
    this.#info = { ...service.about, ...info }
  }

  /** @throws NotFound no endpoint has this version */
  find(named: string | null, { version }: ApiRequest): Printed {
    const wanted = named ?? version ?? this.#versions.at(-1) ?? null
    if (wanted !== null && !this.#versions.includes(wanted))
      throw new NotFound(Message.of('not_found.version'), 'unknown_version')
    const known = this.#printed.get(wanted)
    if (known !== undefined) return known
    const bytes = Buffer.from(JSON.stringify(documentOf(this.#subject, wanted, this.#info)))
    const printed = { bytes, tag: `"${sha256(bytes).slice(0, 32)}"` }
    this.#printed.set(wanted, printed)
    return printed
  }
}

/** The versions that the service of a request has documents of, the newest last. */
export function documentedVersions({
  shows = () => true,
}: Pick<OpenApiOptions, 'shows'>): (request: ApiRequest) => readonly DocumentedVersion[] {
  const versionsIn = oncePer((service: Service) => {
    const endpoints = endpointsOf(service).filter(shows)
    const facts = endpoints.map(({ settings }) => settings.versions).find((each) => each !== null)
    return versionsOf({ endpoints }).map((name) => {
      return { name, isDeprecated: facts?.[name]?.deprecatedAt !== undefined }
    })
  })
  return (request) => versionsIn(contextOf(request).service)
}

interface DocumentedVersion {
  readonly name: string
  readonly isDeprecated: boolean
}

function endpointsOf({ urls, endpoints }: Service): readonly DocumentedEndpoint[] {
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
