import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Endpoint, Group } from '../api/types.ts'
import type { ApiRequest, Permission, Reply } from '../contract/request.ts'
import { download } from '../endpoints/download.ts'
import { NotFound } from '../errors/api-errors.ts'
import { defineUrls } from '../links/address-table.ts'
import { Message } from '../messages/message.ts'
import { wordsFor } from '../messages/words.ts'
import { templatesFor } from '../pages/templates.ts'
import { coloursOf, identityOf, tokenFor } from '../pages/top-bar.ts'
import type { Context, Service } from '../pipeline/context.ts'
import { PageOf } from '../pipeline/page-facts.ts'
import { StaticHTMLRenderer } from '../rendering/static-html.ts'
import { reply, uncached } from '../replies/reply.ts'
import { sha256 } from '../std/crypto/digest.ts'
import { oncePer } from '../std/once.ts'
import type { HasRoutes } from '../types/routes.ts'
import type { Scope } from '../types/scope.ts'
import { type Subject, versionsOf } from './document.ts'
import { type OpenApiOptions, endpointsOf, openApi } from './endpoint.ts'

/**
 * Addresses of the console. Take them into your own with `...consoleUrls`, or under a prefix with
 * `docs: include('/docs', consoleUrls)`.
 */
export const consoleUrls: {
  readonly console: '/console/'
  readonly 'console-document': '/console/openapi.json'
  readonly 'console-file': '/console/:release/:file'
} = defineUrls({
  console: '/console/',
  'console-document': '/console/openapi.json',
  'console-file': '/console/:release/:file',
})

/** Names of the addresses that the console needs: `consoleUrls` has them. */
export type ConsoleRoute = keyof typeof consoleUrls

/** What the console shows, and to whom. */
export interface ConsoleOptions extends Omit<OpenApiOptions, 'versionParam' | 'cacheControl'> {
  /** Who may see the console and its documents. Each call meets the permissions of its own endpoint. @default those of the group */
  readonly permissions?: readonly Permission[]
  /**
   * A folder with the files of Swagger UI 5, for those who do not want the package.
   * @default `static` of the installed package `@fastify/swagger-ui`
   */
  readonly files?: string
}

/**
 * A console for people who want to try the API, as endpoints for `serve`: Swagger UI with the OpenAPI document of each
 * version. Everything comes from this service: the page has a strict `Content-Security-Policy`, and asks no
 * other. A token is typed once, stays in the tab of the browser, and goes when it is forgotten or the tab is closed;
 * a session is used as it is. The files of Swagger UI are those of the package `@fastify/swagger-ui`, which the
 * application installs.
 *
 * @throws ConfigurationError the files of Swagger UI are not there; when the service starts
 * @example
 * const api = defineApi({ urls: defineUrls({ ...consoleUrls, hello: '/hello/' }) })
 * export default api.serve([...apiConsole(api, { title: 'Greetings' }), hello])
 */
export function apiConsole<S extends Scope, R>(
  api: Group<S, R> & HasRoutes<R, ConsoleRoute>,
  { permissions, files: folder, ...documents }: ConsoleOptions = {},
): readonly Endpoint<never>[] {
  const files = new ConsoleFiles(folder)
  const unlisted = { operation: () => null }
  const group = (api as unknown as Group<Scope, Record<string, string>>).group({
    ...(permissions && { permissions }),
    versioning: null,
    pagination: null,
    metadata: null,
    urlFormatOverride: null,
  })
  const open = { authentication: [], permissions: [], throttles: [] }
  const renderers = [new StaticHTMLRenderer()]
  return [
    group.endpoint('console', { title: String(TITLE), renderers }).get({
      ...unlisted,
      handle: pageOf(documents, files),
      queryParams: () => ['version', '_theme'],
      check: () => files.problem(),
    }),
    group.endpoint('console-document').get({ ...openApi(documents), ...unlisted }),
    group
      .endpoint('console-file', { ...open, renderers })
      .get({ ...unlisted, handle: (request: ApiRequest) => files.send(request) }),
  ]
}

const TITLE = Message.of('console.title')

/** The page of one version; of none that is named, the newest, as for its document. */
function pageOf(documents: OpenApiOptions, files: ConsoleFiles) {
  const versionsIn = oncePer(({ urls, endpoints }: Service) => {
    const all = endpointsOf({ urls, endpoints } as Service)
    return menuOf(all.filter((each) => documents.shows?.(each) ?? true))
  })
  return async (request: ApiRequest): Promise<Reply> => {
    const { service } = request as unknown as Context
    const versions = versionsIn(service)
    const current = request.query.get('version') ?? versions.at(-1)?.name ?? null
    if (current !== null && !versions.some(({ name }) => name === current))
      throw new NotFound(Message.of('not_found.version'))
    return shown(request as unknown as Context, {
      title: documents.title ?? request.settings.browsable.title ?? 'API',
      release: await files.release(),
      document: current === null ? 'openapi.json' : `openapi.json${linkTo(current)}`,
      versions: versions.map((each) => ({ ...each, isCurrent: each.name === current })),
    })
  }
}

interface Choice {
  readonly name: string
  readonly url: string
  readonly isDeprecated: boolean
}

function menuOf(endpoints: Subject['endpoints']): readonly Choice[] {
  const facts = endpoints.map(({ settings }) => settings.versions).find((each) => each !== null)
  return versionsOf({ endpoints }).map((name) => ({
    name,
    url: linkTo(name),
    isDeprecated: facts?.[name]?.deprecatedAt !== undefined,
  }))
}

const linkTo = (version: string): string => `?version=${encodeURIComponent(version)}`

interface Shown {
  readonly title: string
  readonly release: string
  readonly document: string
  readonly versions: readonly (Choice & { readonly isCurrent: boolean })[]
}

async function shown(request: Context, console: Shown): Promise<Reply> {
  const templates = await templatesFor(request.settings.browsable)
  const words = wordsFor(request)
  const page = new PageOf(request)
  const colours = coloursOf(request)
  const { token, cookies } = tokenFor(page, reply(null))
  const identity = identityOf(page, request.path + request.url.search)
  const title = words.text(TITLE)
  const html = templates.render('console', words, { ...colours, title, identity, token, console })
  const kept = colours.cookie === null ? cookies : [...cookies, colours.cookie]
  const policy = templates.policyWithFiles()
  return uncached(html, {
    headers: { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': kept },
  })
}

const PACKAGE = '@fastify/swagger-ui'
const MISSING = `needs the files of Swagger UI, which are in the package ${PACKAGE}. Run: npm install ${PACKAGE}`

/** Beside this file, and beside the file that it is built into. */
const OWN = join(import.meta.dirname, 'console')

const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'inside.css': 'text/css; charset=utf-8',
}

/** What the page is made of beside its HTML. Each state of the files has addresses of its own, so caches keep them for ever. */
class ConsoleFiles {
  readonly #folder: string | undefined
  #release: Promise<string> | null = null

  /** `folder`: where those of Swagger UI are; without it, in the package. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** What is missing, as the end of a sentence; `null`: nothing. */
  problem(): string | null {
    const theirs = this.#theirs()
    if (theirs === null) return MISSING
    const missing = Object.keys(TYPES).find((name) => !existsSync(pathOf(name, theirs)))
    if (missing === undefined) return null
    return `takes the files of Swagger UI from ${theirs}, where there is no ${missing}. Give that folder as the option files, or leave it out and run: npm install ${PACKAGE}`
  }

  release(): Promise<string> {
    return (this.#release ??= this.#digest())
  }

  /** @throws NotFound there is no such file, or it is one of another release */
  async send(request: ApiRequest): Promise<Reply> {
    const { release, file } = request.params as Readonly<Record<string, string>>
    const type = Object.hasOwn(TYPES, file!) ? TYPES[file!] : undefined
    if (type === undefined || release !== (await this.release())) throw new NotFound()
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }
    const path = pathOf(file!, this.#theirs()!)
    return download(request, path, { type, inline: 'any', etag: release, headers })
  }

  #theirs(): string | null {
    return this.#folder ?? installed()
  }

  async #digest(): Promise<string> {
    const theirs = this.#theirs()!
    const all = await Promise.all(
      Object.keys(TYPES).map((name) => readFile(pathOf(name, theirs), 'utf8')),
    )
    return sha256(all.join()).slice(0, 16)
  }
}

function pathOf(name: string, theirs: string): string {
  return join(name.startsWith('swagger-ui') ? theirs : OWN, name)
}

function installed(): string | null {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)),
      'static',
    )
  } catch {
    return null
  }
}
