import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Endpoint, Group } from '../../core/app/group.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { download } from '../../resources/endpoints/download.ts'
import { NotFound } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { wordsFor } from '../../core/messages/words.ts'
import { templatesFor } from './templates.ts'
import { coloursOf, identityOf, tokenFor } from './top-bar.ts'
import { PageFacts } from './page-facts.ts'
import { StaticHTMLRenderer } from '../../core/representations/static-html.ts'
import { reply, uncached } from '../../core/replies/reply.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'

/**
 * Addresses of the console. Take them into your own with `...consoleUrls`, or under a prefix with
 * `docs: include('/docs', consoleUrls)`.
 */
export const consoleUrls = {
  console: '/console/',
  'console-document': '/console/openapi.json',
  'console-file': '/console/:release/:file',
} as const

/** Names of the addresses that the console needs: `consoleUrls` has them. */
export type ConsoleRoute = keyof typeof consoleUrls

/** The parts of a console. */
interface ConsoleParts {
  readonly permissions?: readonly Permission[]
  /** The folder with the files of Swagger UI. @default that of the package */
  readonly files?: string
  readonly title?: string
  /** Its GET answers with the document of the version that `?version=` names. */
  readonly document: Behaviour<ApiRequest>
  /** The documented versions, the newest last. */
  readonly versions: (request: ApiRequest) => readonly DocumentedVersion[]
}

interface DocumentedVersion {
  readonly name: string
  readonly isDeprecated: boolean
}

/** The endpoints of a console: its page, its documents, and the files that it loads. */
export function consoleEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, ConsoleRoute>,
  { permissions, files: folder, document, ...shows }: ConsoleParts,
): readonly Endpoint<never>[] {
  const files = new ConsoleFiles(folder)
  const unlisted = { operation: () => null }
  const group = (api as unknown as Group<TypedSettings, Record<string, string>>).group({
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
      handle: (request: ApiRequest) => pageIn(request, shows, files),
      parameters: () => [{ name: 'version' }, { name: '_theme' }],
      check: () => files.problem(),
    }),
    group.endpoint('console-document').get({ ...document, ...unlisted }),
    group
      .endpoint('console-file', { ...open, renderers })
      .get({ ...unlisted, handle: (request: ApiRequest) => files.send(request) }),
  ]
}

const TITLE = Message.of('console.title')

/** The page of one version. Without `?version=`, page and document have the newest one. */
async function pageIn(
  request: ApiRequest,
  { title, versions: versionsFor }: Pick<ConsoleParts, 'title' | 'versions'>,
  files: ConsoleFiles,
): Promise<Reply> {
  const versions = versionsFor(request)
  const current = request.query.get('version') ?? versions.at(-1)?.name ?? null
  if (current !== null && !versions.some(({ name }) => name === current))
    throw new NotFound(Message.of('not_found.version'))
  const console = {
    title: title ?? request.settings.browsable.title ?? 'API',
    release: await files.release(),
    document: current === null ? 'openapi.json' : `openapi.json${linkTo(current)}`,
    versions: versions.map((each) => ({
      ...each,
      url: linkTo(each.name),
      isCurrent: each.name === current,
    })),
  }
  const templates = await templatesFor(request.settings.browsable)
  const words = wordsFor(request)
  const page = new PageFacts(request)
  const colours = coloursOf(request)
  const { token, cookies } = tokenFor(page, reply(null))
  const identity = identityOf(page, request.path + request.url.search)
  const data = { ...colours, title: words.text(TITLE), identity, token, console }
  const html = templates.render('console', words, data)
  const kept = [...cookies, ...colours.cookies]
  const policy = templates.policyWithFiles()
  return uncached(html, {
    headers: { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': kept },
  })
}

const linkTo = (version: string): string => `?version=${encodeURIComponent(version)}`

const PACKAGE = '@fastify/swagger-ui'
const MISSING = `needs the files of Swagger UI, which are in the package ${PACKAGE}. Run: npm install ${PACKAGE}`

/** The folder is beside this file, and beside the file that a build makes of it. */
const OWN = join(import.meta.dirname, 'console')

const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'inside.css': 'text/css; charset=utf-8',
}

/** The scripts and styles of the page. Each state of the files has its own addresses, so caches keep them for ever. */
class ConsoleFiles {
  readonly #folder: string | undefined
  #release: Promise<string> | null = null

  /** `folder`: the files of Swagger UI; without it, those of the package. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** The missing part, as the end of a sentence; `null`: nothing is missing. */
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

  /** @throws NotFound the file does not exist, or belongs to another release */
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
