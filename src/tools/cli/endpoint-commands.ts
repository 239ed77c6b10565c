import { resolve } from 'node:path'
import type { OpenApiDocument } from '../../addons/openapi/document.ts'
import type { DescribedEndpoint } from '../../core/app/app.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { PlainReply, PlainRequest } from '../../core/ports/http-adapter.ts'
import type { Rehearsal } from '../../core/ports/kernel.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import { describe } from '../../core/settings/fold.ts'
import { PageStyle } from '../../policies/pagination/page-number.ts'
import { NamespaceVersioning } from '../../policies/versioning/schemes.ts'
import { KEYS, SETTING_NAMES } from '../../core/settings/endpoint-settings.ts'
import { SERVICE_KEYS } from '../../core/settings/service-keys.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'
import { showAccounts, userNamed } from './open-accounts.ts'
import {
  type CommandContext,
  type CommandNode,
  type CommandInput,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
} from './command.ts'
import { writeText } from './files.ts'
import { readHeaders } from './prompts.ts'
import {
  CommandFailed,
  type ListForm,
  type Terminal,
  UsageError,
  orFailed,
  printTable,
} from './terminal.ts'

export const endpointCommands: readonly CommandNode[] = [
  command({
    name: 'routes [name]',
    summary: 'list every address with its endpoint',
    description: 'Lists every address in the order of the table: methods, versions, permissions.',
    args: { name: ['only endpoints whose name contains this'] },
    json: OBJECT_LINES,
    async run({ app, args: [name = ''], list }) {
      const all = (await app()).describe()
      const found = all.filter((endpoint) => endpoint.name.includes(name))
      if (found.length === 0) throw missing(name, all)
      await list(found, ROUTES)
    },
  }),
  command({
    name: 'explain <what> [target]',
    summary: 'show what happens to a request, or the settings of an endpoint',
    description:
      'Shows what would happen to a request, without running its handler: endpoint, version, renderer, user, permissions, ' +
      'throttles and pages. With the name of an endpoint, shows its settings and the layer that set each.',
    args: {
      what: ['a method, or the name of an endpoint'],
      target: ['path and query of the request, as in: GET /notes/?page=2'],
    },
    options: [
      ['--as <username>', 'ask as this user, whatever the schemes would say'],
      [
        '-H, --header <line...>',
        'a header, such as "Accept: text/html"; @file reads lines from a file, @- from standard input',
      ],
    ],
    json: ONE_OBJECT,
    async run(given) {
      const { args, options } = given
      const [what, target] = args
      if (target !== undefined || A_REQUEST.test(what)) return explainRequest(what, target, given)
      if (options.as !== undefined || options.header !== undefined)
        throw new UsageError('--as and --header belong to a request: colophon explain GET /…')
      await explainEndpoint(what, given)
    },
  }),
  command({
    name: 'openapi',
    summary: 'print the OpenAPI document of a version',
    description:
      'Prints the OpenAPI 3.1 document of a version as JSON, or writes it into a file. It asks no database and runs no handler.',
    options: [
      ['--version <version>', 'the version (default: the newest)'],
      ['--out <file>', 'a file to write it into'],
      [
        '--origin <origin>',
        'where the service is (default: the key PUBLIC_URL)',
        { read: originOf },
      ],
    ],
    json: `${ONE_OBJECT}; the document always is one`,
    async run({ app, options: { version: wanted, out, origin }, terminal, report }) {
      const { openApiDocument } = await import('../../addons/openapi/documents.ts')
      const served = await app()
      const which = {
        ...(wanted !== undefined && { version: wanted }),
        ...(origin !== undefined && { origin }),
      }
      const document = orFailed(() => openApiDocument(served, which))
      const text = JSON.stringify(document, null, 2)
      if (out === undefined) terminal.print(text)
      else {
        const file = resolve(terminal.cwd, out)
        writeText(file, `${text}\n`)
        const { version } = document.info as { readonly version: string }
        const operations = countIn(document)
        const done = `The document of ${version} with ${operations} operations is in ${out}.`
        report({ file, version, operations }, done)
      }
      await served.close()
    },
  }),
]

function originOf(text: string): string {
  const { fits, wants } = SERVICE_KEYS.publicUrl
  if (fits(text)) return new URL(text).origin
  throw new UsageError(`--origin must be ${wants}.`)
}

/** The first word of a request: its method, or its path where the method is left out. */
const A_REQUEST = /^(?:\/|(?:GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)$)/

function missing(name: string, endpoints: readonly DescribedEndpoint[]): CommandFailed {
  const names = endpoints.map((each) => each.name)
  const hint = didYouMean(name, names) || ' All are in: colophon routes.'
  return new CommandFailed(`There is no endpoint "${name}".${hint}`)
}

const ROUTES: ListForm<DescribedEndpoint> = {
  heading: ['PATH', 'NAME', 'METHODS', 'VERSIONS', 'PERMISSIONS'],
  row: (endpoint) => [
    endpoint.path,
    endpoint.name,
    endpoint.methods.join(' '),
    (versionsOf(endpoint) ?? ['any']).join(' ') || '-',
    permissionsOf(endpoint).join(' ') || '-',
  ],
  json: (endpoint) => ({
    path: endpoint.path,
    name: endpoint.name,
    methods: endpoint.methods,
    versions: versionsOf(endpoint),
    permissions: permissionsOf(endpoint),
  }),
}

/** The versions of an endpoint: none without a scheme; `null`: any text may be one. */
function versionsOf({
  name,
  settings: { versioning },
  versions: known,
}: DescribedEndpoint): readonly string[] | null {
  if (versioning === null) return []
  if (known === null || !(versioning instanceof NamespaceVersioning)) return known
  // The version of an address is the first of its namespaces that is one.
  const own = name
    .split(':')
    .slice(0, -1)
    .find((namespace) => known.includes(namespace))
  return own === undefined ? known : [own]
}

/** The permissions of an endpoint. Those of a verb carry its name: `IsAdminUser(POST)`. */
function permissionsOf({ settings, behaviours }: DescribedEndpoint): readonly string[] {
  const own = Object.entries(behaviours).flatMap(([verb, { permissions = [] }]) =>
    permissions.map((each) => `${named(each)}(${verb.toUpperCase()})`),
  )
  return [...settings.permissions.map(named), ...own]
}

const named = (permission: Permission): string => permission.description ?? describe(permission)

async function explainEndpoint(
  name: string,
  { app, json, terminal }: CommandInput<unknown>,
): Promise<void> {
  const endpoints = (await app()).describe()
  const endpoint = endpoints.find((each) => each.name === name)
  if (endpoint === undefined) throw missing(name, endpoints)
  const { path, methods } = endpoint
  const settings = settingsOf(endpoint)
  if (json) return terminal.print(JSON.stringify({ endpoint: name, path, methods, settings }))
  terminal.print(`${terminal.styled('bold', name)}  ${path}  ${methods.join(' ')}`)
  await printTable(terminal, [
    ['SETTING', 'KEY', 'VALUE', 'LAYER'],
    ...settings.map(({ setting, key, value, layer }) => [setting, key, value, `from ${layer}`]),
  ])
}

/** The settings that count: a style with a page size of its own does not ask the setting. */
function settingsOf({ settings, provenance }: DescribedEndpoint) {
  const { pagination } = settings
  const own = pagination instanceof PageStyle ? pagination.pageSize : undefined
  return SETTING_NAMES.map((setting) => {
    const row = { setting, key: KEYS[setting].key }
    if (setting === 'pageSize' && own !== undefined)
      return {
        ...row,
        value: describe(own),
        layer: `${describe(pagination)} (${provenance.pagination})`,
      }
    return { ...row, value: describe(settings[setting]), layer: provenance[setting] }
  })
}

interface RequestOptions {
  readonly as: string | undefined
  readonly header: readonly string[] | undefined
}

/** The results of `explain` about a request. */
type Explained = Awaited<ReturnType<typeof explained>>

async function explainRequest(
  method: string,
  target: string | undefined,
  given: CommandInput<unknown, RequestOptions>,
): Promise<void> {
  const { options, terminal, json } = given
  if (!/^[A-Z]+$/.test(method) || !target?.startsWith('/')) {
    const path = [method, target, '/notes/?page=2'].find((each) => each?.startsWith('/'))
    throw new UsageError(`A request is a method and a path: colophon explain GET ${path}`)
  }
  const app = await given.app()
  const user = options.as === undefined ? null : await activeUser(options.as, given)
  const headers = await readHeaders(options.header ?? [], terminal)
  const rehearsal = await app.rehearse(plainRequest(method, target, headers, user))
  const endpoint = app.describe().find(({ name }) => name === rehearsal.request.endpointName)
  const found = await explained(`${method} ${target}`, rehearsal, endpoint ?? null, user !== null)
  if (json) terminal.print(JSON.stringify(found))
  else show(found, terminal)
  await app.close()
}

async function activeUser(username: string, context: CommandContext): Promise<User> {
  const user = await userNamed(username, await showAccounts(context))
  if (user.isActive) return user
  throw new CommandFailed(`User ${user.username} is not active: every scheme refuses this user.`)
}

function plainRequest(
  method: string,
  target: string,
  headers: ReadonlyMap<string, string>,
  user: User | null,
): PlainRequest {
  return {
    method,
    target,
    scheme: 'http',
    environ: { REMOTE_ADDR: '127.0.0.1' },
    vouched: true,
    body: null,
    header: (name) => headers.get(name) ?? null,
    ...(user !== null && { identity: { user, auth: null } }),
  }
}

async function explained(
  line: string,
  { request, refusal }: Rehearsal,
  endpoint: DescribedEndpoint | null,
  isVouched: boolean,
) {
  const { user, settings, accepted, authenticator } = request
  const { username = null } = (user ?? {}) as { readonly username?: string | null }
  const scheme = authenticator === null ? null : describe(authenticator)
  const isKnown = endpoint !== null && !DECIDES_WHO.has(refusal?.by ?? '')
  return {
    request: line,
    endpoint: endpoint?.name ?? null,
    path: endpoint?.path ?? null,
    params: request.params,
    version: request.version,
    renderer: describe(accepted.renderer),
    mediaType: accepted.mediaType,
    user: username || null,
    by: isVouched ? '--as' : scheme,
    permissions: isKnown ? await opinions(permissionsFor(request, endpoint), request) : [],
    throttles: isKnown ? await limitsFor(request) : [],
    pagination: endpoint === null || !settings.pagination ? null : describe(settings.pagination),
    refusal: refusal === null ? null : { by: refusal.by, ...shown(refusal.answer) },
    layers: endpoint === null ? {} : layersOf(endpoint),
  }
}

/** Steps that leave the user open, if one of them refuses. */
const DECIDES_WHO: ReadonlySet<string> = new Set([
  'address',
  'negotiation',
  'version',
  'sunset',
  'authentication',
])

function permissionsFor({ method, settings }: ApiRequest, { behaviours }: DescribedEndpoint) {
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase()
  const own = Object.entries(behaviours).find(([name]) => name === verb)?.[1].permissions ?? []
  return [...settings.permissions, ...own]
}

/** Asks each permission, also those behind one that refuses: the reader wants to know all of them. */
function opinions(permissions: readonly Permission[], request: ApiRequest) {
  return Array.fromAsync(permissions, async (permission) => {
    return { permission: describe(permission), allows: await opinionOf(permission, request) }
  })
}

async function opinionOf(permission: Permission, request: ApiRequest): Promise<string> {
  try {
    const opinion = (await permission.hasPermission?.(request)) ?? null
    if (opinion === null) return 'no opinion'
    return opinion === true ? 'yes' : 'no'
  } catch (error) {
    // Some refuse by an error of their own, which the answer shows.
    return `no, ${(error as Error).name}`
  }
}

/** The limits that a request counts against; asking for them counts nothing. */
function limitsFor(request: ApiRequest) {
  return Array.fromAsync(request.settings.throttles, async (throttle) => {
    const limits = (await throttle.limits?.(request)) ?? []
    const rates = limits.map(({ limit, seconds }) => `${limit} in ${seconds} s`)
    return { throttle: describe(throttle), limits: rates }
  })
}

function shown({ status, body }: PlainReply): { status: number; body: string | null } {
  return { status, body: typeof body === 'string' ? body : null }
}

const SAYS = ['versioning', 'renderers', 'authentication', 'permissions', 'throttles', 'pagination']

function layersOf({ provenance }: DescribedEndpoint): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(provenance).filter(([name]) => SAYS.includes(name)))
}

function show(found: Explained, { print, styled }: Terminal): void {
  const { layers, refusal } = found
  const line = (label: string, text: string, setting = ''): void => {
    const layer = layers[setting]
    print(`${styled('bold', label.padEnd(12))} ${text}${layer ? `  (from ${layer})` : ''}`)
  }
  print(styled('bold', found.request))
  line('endpoint', found.endpoint === null ? 'none' : `${found.endpoint}  ${found.path}`)
  for (const [name, value] of Object.entries(found.params))
    line('parameter', `${name}: ${JSON.stringify(value)}`)
  line('version', found.version ?? 'none', 'versioning')
  line('renderer', `${found.renderer}, ${found.mediaType}`, 'renderers')
  line(
    'user',
    `${found.user ?? 'anonymous'}${found.by ? `, by ${found.by}` : ''}`,
    'authentication',
  )
  if (
    found.endpoint !== null &&
    found.permissions.length === 0 &&
    !DECIDES_WHO.has(refusal?.by ?? '')
  )
    line('permission', 'none: everyone may', 'permissions')
  for (const each of found.permissions)
    line('permission', `${each.permission}: ${each.allows}`, 'permissions')
  for (const { throttle, limits } of found.throttles)
    line('throttle', `${throttle}: ${limits.join(', ') || 'no limit'}`, 'throttles')
  line('pages', found.pagination ?? 'none', 'pagination')
  if (refusal === null) return line('answer', styled('green', 'by the handler, which was not run'))
  line('answer', styled('red', `${refusal.status}, refused by: ${refusal.by}`))
  if (refusal.body !== null) print(refusal.body.trimEnd())
}

function countIn({ paths }: OpenApiDocument): number {
  const members = Object.values(paths).flatMap((item) => Object.keys(item))
  return members.filter((member) => member !== 'servers').length
}
