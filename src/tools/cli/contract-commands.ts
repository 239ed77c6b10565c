import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DescribedEndpoint } from '../../core/app/app.ts'
import type { App } from '../../preset/define-api.ts'
import type { Change } from '../../addons/gate/change.ts'
import {
  type Documents,
  type LogEntry,
  type VersionChanges,
  breakingIn,
  changelogOf,
  changesOf,
  entriesOf,
  isNamed,
  nameOf,
  textOfContract,
} from '../../addons/gate/contract.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import { describe } from '../../core/settings/fold.ts'
import {
  type CommandContext,
  type CommandNode,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
} from './command.ts'
import { jsonObjectIn, readText, writeFiles } from './files.ts'
import { CommandFailed, type Terminal, UsageError } from './terminal.ts'

const LOG = 'log.jsonl'
/** The file of a service without versions. */
const UNVERSIONED = 'api'

const FOLDER = ['--folder <folder>', 'where the files are', { default: 'contracts' }] as const

export const contractCommands: CommandNode = {
  name: 'contract',
  summary: 'keep the contract of each version, and check changes against it',
  description:
    'Keeps the OpenAPI document of each version as a file, and tells which changes of the service break its clients.',
  commands: [
    command({
      name: 'save',
      summary: 'write the contract of each version',
      description:
        'Writes the contract of each version that is new or has changed, and logs what changed. Where a change breaks ' +
        'clients of a living version, nothing is written, unless the change is accepted.',
      options: [
        FOLDER,
        [
          '--accept <change...>',
          'a breaking change, as check names it: "code at place"; * stands for any text',
        ],
        ['--reason <text>', 'why it is accepted, for the log'],
      ],
      json: ONE_OBJECT,
      async run(given) {
        const { options, terminal, json } = given
        const { accept = [], reason = '' } = options
        if (accept.length > 0 && reason.trim() === '')
          throw new UsageError('What is accepted needs a reason, for the log: --reason "…"')
        const { saved, running, all, folder, now } = await compared(options.folder, given)
        refuse(all, accept, terminal)
        const written = [...running].flatMap(([version, document]) => {
          const [text, old] = [textOfContract(document), saved.get(version)]
          return old !== undefined && textOfContract(old) === text
            ? []
            : [[fileOf(version), text] as const]
        })
        const removed = [...saved.keys()].filter((version) => !running.has(version)).map(fileOf)
        const entries = entriesOf(all, now, reason.trim() === '' ? null : reason.trim())
        const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
        writeFiles(folder, {
          ...Object.fromEntries(written),
          ...(lines !== '' && { [LOG]: textOfLog(folder) + lines }),
        })
        for (const file of removed) rmSync(join(folder, file))
        const names = written.map(([file]) => file)
        if (json) return terminal.print(JSON.stringify({ written: names, removed, log: entries }))
        show(all, terminal.print, terminal)
        for (const file of names) terminal.print(`Wrote ${options.folder}/${file}`)
        for (const file of removed) terminal.print(`Removed ${options.folder}/${file}`)
        if (names.length + removed.length === 0) terminal.print('The contracts are up to date.')
      },
    }),
    command({
      name: 'check',
      summary: 'fail where the service breaks its contract',
      description:
        'Compares the application with the saved contracts. Exit status 0: clients of living versions go on; 1: a change ' +
        'breaks some, or there is nothing to compare with; 2: not a command.',
      options: [FOLDER, ['--recorded', 'fail, too, where a change is not saved']],
      json: OBJECT_LINES,
      async run(given) {
        const { options, terminal, json } = given
        const { saved, all } = await compared(options.folder, given)
        if (saved.size === 0)
          throw new CommandFailed(
            `There is no contract in ${options.folder} to compare with. Write one: colophon contract save`,
          )
        const changes = all.flatMap((each) => each.changes)
        const count = all.flatMap(breakingIn).length
        if (json)
          for (const each of all)
            for (const change of each.changes) {
              const fails = breakingIn(each).includes(change)
              terminal.print(JSON.stringify({ version: each.version || null, ...change, fails }))
            }
        else {
          show(all, terminal.print, terminal)
          terminal.print(verdict(count, changes.length))
        }
        return count > 0 || (options.recorded === true && changes.length > 0) ? 1 : 0
      },
    }),
    command({
      name: 'log',
      summary: 'print the changelog of the API',
      description: 'Prints what was saved and accepted, as Markdown.',
      options: [FOLDER],
      json: OBJECT_LINES,
      run({ options: { folder }, terminal, json }) {
        const text = textOfLog(resolve(terminal.cwd, folder))
        const entries = text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => jsonObjectIn(line, noObject(LOG)) as unknown as LogEntry)
        if (json) for (const entry of entries) terminal.print(JSON.stringify(entry))
        else terminal.print(changelogOf(entries))
      },
    }),
  ],
}

type Json = Documents extends ReadonlyMap<string, infer Value> ? Value : never

/** @throws CommandFailed there are breaking changes that are not accepted, or what is accepted is none */
function refuse(
  all: readonly VersionChanges[],
  accept: readonly string[],
  terminal: Terminal,
): void {
  const breaking = all.flatMap(breakingIn)
  const unknown = accept.find((each) => !breaking.some((change) => isNamed(change, each)))
  if (unknown !== undefined)
    throw new CommandFailed(
      `"${unknown}" is no breaking change. Those there are: ${breaking.map(nameOf).join('; ') || 'none'}.`,
    )
  const refused = all.map((each) => ({
    ...each,
    changes: breakingIn(each).filter((change) => !accept.some((name) => isNamed(change, name))),
  }))
  const count = refused.flatMap(({ changes }) => changes).length
  if (count === 0) return
  show(refused, terminal.complain, terminal)
  throw new CommandFailed(`${changesInWords(count)} of a living version: nothing was written.`)
}

function verdict(breaking: number, all: number): string {
  if (breaking > 0) return `${changesInWords(breaking)} of a living version.`
  if (all === 0) return 'The application keeps its contracts.'
  return 'The application keeps its contracts. To save what changed: colophon contract save'
}

const changesInWords = (count: number): string =>
  count === 1 ? '1 change breaks clients' : `${count} changes break clients`

/** One line for changes that are the same in several places. */
function show(
  all: readonly VersionChanges[],
  print: (line: string) => void,
  { styled }: Terminal,
): void {
  for (const { version, living, changes } of all) {
    if (changes.length === 0) continue
    if (version !== '') print(styled('bold', living ? version : `${version}, which has ended`))
    const alike = Map.groupBy(changes, (each) => `${each.class} ${each.code} ${each.sentence}`)
    for (const some of alike.values()) {
      const [{ class: kind, code, sentence, advice }] = some as [Change, ...Change[]]
      print(`  ${styled(kind === 'breaking' ? 'red' : 'green', kind)}  ${code}: ${sentence}`)
      const shown = kind === 'breaking' ? some : some.slice(0, MOST_PLACES)
      for (const { at } of shown) print(`    at ${at}`)
      if (some.length > shown.length) print(`    and in ${some.length - shown.length} other places`)
      if (kind === 'breaking' && living) print(`    ${adviceFor(advice, some)}`)
    }
  }
}

const MOST_PLACES = 3

function adviceFor(advice: string | undefined, [first, ...others]: readonly Change[]): string {
  const name = others.length === 0 ? nameOf(first!) : `${first!.code} at *`
  return `${advice ?? ''} Or accept it: colophon contract save --accept '${name}' --reason "…"`.trim()
}

function textOfLog(folder: string): string {
  const file = join(folder, LOG)
  return existsSync(file) ? readText(file) : ''
}

async function compared(named: string, { app, terminal }: CommandContext) {
  const folder = resolve(terminal.cwd, named)
  const served = await app()
  const [saved, running, now] = [readContracts(folder), await contractsOf(served), new Date()]
  await served.close()
  return { saved, running, all: changesOf(saved, running, now), folder, now }
}

const fileOf = (version: string): string => `${encodeURIComponent(version || UNVERSIONED)}.json`

const noObject = (file: string): string => `${file} is not a JSON object.`

function readContracts(folder: string): Documents {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const names = files.filter((file) => file.endsWith('.json')).toSorted()
  return new Map(
    names.map((file) => {
      const document = jsonObjectIn(readText(join(folder, file)), noObject(file))
      const version = decodeURIComponent(file.slice(0, -'.json'.length))
      return [version === UNVERSIONED ? '' : version, document]
    }),
  )
}

/** The document of each version, without the service's address and examples, which are not parts of its contract. */
export async function contractsOf(app: Pick<App, 'describe' | 'service'>): Promise<Documents> {
  const { openApiDocuments } = await import('../../addons/openapi/documents.ts')
  const endpoints = app.describe()
  const anywhere = { describe: () => endpoints, service: { ...app.service, publicUrl: null } }
  return new Map(
    [...openApiDocuments(anywhere, { examples: false })].map(([version, document]) => [
      version ?? '',
      { ...document, paths: withPermissions(document.paths, endpoints) },
    ]),
  )
}

/** Adds permissions to the operations of a contract; public documents do not name them. */
function withPermissions(
  paths: Readonly<Record<string, Json>>,
  endpoints: readonly DescribedEndpoint[],
): Json {
  const named = (verb: string, operation: unknown): unknown => {
    const { 'x-endpoint': name } = operation as Json
    const endpoint = endpoints.find((each) => each.name === name)
    return endpoint === undefined
      ? operation
      : { ...(operation as Json), 'x-permissions': permissionsOf(endpoint, verb) }
  }
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([verb, each]) => [verb, named(verb, each)])),
    ]),
  )
}

function permissionsOf({ settings, behaviours }: DescribedEndpoint, verb: string) {
  const own = Object.entries(behaviours).find(([name]) => name === verb)?.[1].permissions ?? []
  return [...new Set([...settings.permissions, ...own].flatMap(namesOf))].toSorted()
}

/** A permission, or a part of one that others were made into. */
interface Part extends Partial<Pick<Permission, 'code'>> {
  readonly tree?: Part
  readonly operator?: 'all' | 'any'
  readonly operands?: readonly Part[]
  readonly permission?: Permission
  readonly negated?: boolean
  readonly scopes?: readonly string[]
}

/** Names of all permissions and scopes that a permission asks for. */
function namesOf(part: object): readonly string[] {
  const { tree, operator, operands, permission, negated, scopes } = part as Part
  if (tree !== undefined) return namesOf(tree)
  if (operands !== undefined)
    return operator === 'all'
      ? operands.flatMap(namesOf)
      : [`anyOf(${operands.map((each) => namesOf(each).join(' and ')).join(', ')})`]
  if (permission !== undefined)
    return negated ? [`not(${namesOf(permission).join()})`] : namesOf(permission)
  const name = describe(part)
  return scopes === undefined ? [name] : scopes.map((scope) => `${name}(${scope})`)
}
