import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fitsPattern } from '../../../addons/gate/view.ts'
import { openDatabase } from '../../../preset/open-database.ts'
import { type Configuration, readConfiguration } from '../../../core/settings/configuration.ts'
import type { SchemaCatalogue, FoundTable } from '../../../storage/sql/schema-reader.ts'
import type { SqlDatabase } from '../../../storage/sql/sql-database.ts'
import { didYouMean } from '../../../core/std/text/nearest.ts'
import { adviceFor } from '../application.ts'
import { thereIn, writeFiles } from '../files.ts'
import type { CommandInput } from '../command.ts'
import { CommandFailed, type Terminal, printTable } from '../terminal.ts'
import { commented } from './code.ts'
import { type Naming, wordsIn } from './names.ts'
import { type OverSchema, type TheirPlace, throughSchema } from './over.ts'
import { type Plan, planOf } from './plan.ts'
import { overPrisma } from './prisma.ts'
import { filesOf } from './write.ts'

export interface InspectOptions {
  readonly database: string | undefined
  readonly tables: readonly string[] | undefined
  readonly exclude: readonly string[] | undefined
  readonly out: string
  readonly naming: Naming
  readonly force: boolean | undefined
  readonly for: string | undefined
  readonly schema: string | undefined
}

/** Writes a program for an existing database, and prints what it covers and what it leaves out. */
export async function inspect(given: CommandInput<[], InspectOptions>): Promise<void> {
  const { options, terminal, json } = given
  const database = databaseOf(options, terminal.cwd)
  const found = await read(database)
  const folder = resolve(terminal.cwd, options.out)
  const over = await overSchema(options, {
    cwd: terminal.cwd,
    dialect: database.dialect.name,
    folder,
    found,
  })
  const catalogue = over === null ? found : throughSchema(found, over)
  const tables = chosen(catalogue, options)
  const out = options.tables === undefined ? keptOut(tables) : []
  const written = tables.filter(({ name }) => !out.some((each) => each.name === name))
  if (written.length === 0) throw new CommandFailed('There are no tables to write for.')
  const others = [...catalogue.others, ...out]
  const plan = planOf({ ...catalogue, others }, written, options.naming)
  const files = filesOf(plan, over)
  write(folder, files, options)
  if (json) terminal.print(JSON.stringify(factsOf(plan, Object.keys(files), options)))
  else await report(plan, Object.keys(files), options.out, terminal)
}

/** @throws CommandFailed the schema has no name, or cannot be read */
export async function overSchema(
  { for: library, schema: path }: Pick<InspectOptions, 'for' | 'schema'>,
  place: Omit<TheirPlace, 'path'>,
): Promise<OverSchema | null> {
  if (library === undefined && path === undefined) return null
  if (library === 'drizzle' && path !== undefined) {
    // This module imports Drizzle, which few users have installed.
    const { overDrizzle } = await import('./drizzle.ts').catch((error: Error) => {
      throw new CommandFailed(adviceFor(error) ?? error.message)
    })
    return overDrizzle({ ...place, path })
  }
  if (library === 'prisma' && path !== undefined) return overPrisma({ ...place, path })
  throw new CommandFailed(
    'Name both: --for drizzle --schema src/schema.ts, or --for prisma --schema src/db.ts, which exports the client.',
  )
}

function databaseOf({ database: url }: InspectOptions, cwd: string): SqlDatabase {
  const { service, ...configuration } = readConfiguration({ cwd })
  const database = opened(url === undefined ? 'DATABASE_URL' : '--database', {
    ...configuration,
    service: { ...service, databaseUrl: url ?? service.databaseUrl },
    ...(url !== undefined && { folder: cwd }),
  })
  // Opening a missing file would create it.
  const { path } = database as { readonly path?: string }
  if (path === undefined || existsSync(path)) return database
  throw new CommandFailed(`There is no database at ${path}. Name one with --database.`)
}

/** @throws CommandFailed the address, which was given there, is of no database */
function opened(place: string, configuration: Configuration): SqlDatabase {
  try {
    return openDatabase({ configuration })
  } catch (error) {
    throw new CommandFailed((error as Error).message.replace('DATABASE_URL', place))
  }
}

async function read(database: SqlDatabase): Promise<SchemaCatalogue> {
  try {
    const readCatalogue = await database.dialect.catalogue()
    return await readCatalogue(database)
  } finally {
    await database.close()
  }
}

/** The tables to write: not our own, and those of other schemas only by name. */
function chosen(catalogue: SchemaCatalogue, options: InspectOptions): readonly FoundTable[] {
  const all = catalogue.tables.filter(({ name }) => !/^(?:.*\.)?colophon_/.test(name))
  const { tables: wanted, exclude: excluded = [] } = options
  for (const pattern of [...(wanted ?? []), ...excluded]) requireTable(pattern, all)
  return all.filter(
    ({ name, isElsewhere }) =>
      (wanted ? matches(wanted, name) : !isElsewhere) && !matches(excluded, name),
  )
}

/** A change of these tables could give all rights, so they are written only if they are named. */
function keptOut(tables: readonly FoundTable[]): SchemaCatalogue['others'] {
  return tables.flatMap(({ name, columns, foreignKeys }) => {
    const whose = [name, ...foreignKeys.map(({ table }) => table)]
    if (DJANGO.test(name) || whose.some((table) => RIGHTS.test(table)))
      return { name, what: 'a table of users, rights or Django itself, by its name' }
    const words = columns.map((column) => wordsIn(column.name).join(' '))
    const isOfLogins = [PASSWORD, MAY].every((part) => words.some((each) => part.test(each)))
    return isOfLogins ? { name, what: 'a table of passwords and rights, by its columns' } : []
  })
}

const DJANGO = /^(?:.*\.)?(?:auth|authtoken|django)_/
const RIGHTS = /^(?:.*\.)?auth_(?:group|permission)$/
const PASSWORD = /\b(?:password|passwd|passhash)\b/
const MAY = /^(?:(?:is )?(?:superuser|admin)|is staff|roles?(?: id)?|permissions)$/

/** @throws CommandFailed no table has this name */
function requireTable(pattern: string, tables: readonly FoundTable[]): void {
  const names = tables.map(({ name }) => name)
  if (names.some((name) => matches([pattern], name))) return
  throw new CommandFailed(`There is no table "${pattern}".${didYouMean(pattern, names)}`)
}

/** A `*` stands for any text. */
function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => fitsPattern(name, pattern))
}

/** @throws CommandFailed a file exists, and must not be replaced */
function write(
  folder: string,
  files: Readonly<Record<string, string>>,
  { out, force = false }: InspectOptions,
): void {
  const there = thereIn(folder, Object.keys(files))
  if (there.length > 0 && !force)
    throw new CommandFailed(
      `${out} has ${there.join(', ')} already. Take another folder with --out, or replace them with --force.`,
    )
  writeFiles(folder, files)
}

function factsOf(plan: Plan, files: readonly string[], { out }: InspectOptions): object {
  const tables = plan.resources.map((resource) => {
    const { table, name } = resource
    return { table: table.name, address: `/${name}/`, actions: actionsOf(resource) }
  })
  return { tables, notes: sentencesAbout(plan), folder: out, files }
}

async function report(
  plan: Plan,
  files: readonly string[],
  out: string,
  terminal: Terminal,
): Promise<void> {
  const rows = plan.resources.map((resource) => [
    commented(resource.table.name),
    `/${resource.name}/`,
    actionsOf(resource),
  ])
  await printTable(terminal, [['TABLE', 'ADDRESS', 'ACTIONS'], ...rows])
  const notes = sentencesAbout(plan)
  if (notes.length > 0) terminal.print('')
  for (const note of notes) terminal.print(commented(note))
  terminal.print('')
  terminal.print(`Written to ${out}: ${files.join(', ')}.`)
  terminal.print('Next: colophon migrate, for users and tokens; then colophon user create.')
}

function actionsOf({ key, creates }: Plan['resources'][number]): string {
  if (key === null) return 'list'
  return creates ? 'all' : 'all but create'
}

function sentencesAbout({ resources, leftOut }: Plan): readonly string[] {
  return [
    ...resources.flatMap(notesOf),
    ...leftOut.map((sentence) => `${sentence.replace(/\.$/, '')}, so it is left out.`),
  ]
}

function notesOf({ table, columns, notes }: Plan['resources'][number]): readonly string[] {
  const absent = columns.filter(({ absence }) => absence !== null)
  return [
    ...absent.map(({ name, absence }) => `${table.name}.${name}: ${absence}, so it is left out.`),
    ...notes.map((note) => `${table.name}: ${note}.`),
  ]
}
