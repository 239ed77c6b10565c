import { resolve as absolute } from 'node:path'
import type { App } from '../../preset/define-api.ts'
import type { Database, MigrationStatus } from '../../core/ports/database.ts'
import {
  type CommandInput,
  type CommandNode,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
} from './command.ts'
import { CommandFailed, type ListForm } from './terminal.ts'

export const databaseCommands: readonly CommandNode[] = [
  command({
    name: 'migrate',
    summary: 'bring the tables up to date',
    description: 'Brings the tables up to date, those of Colophon and those of the application.',
    options: [
      ['--status', 'show what was applied and what is pending, and change nothing'],
      [
        '--check-online',
        'refuse what is pending where it would lock a large table, or break the version that runs; change nothing',
        { conflicts: ['status'] },
      ],
    ],
    json: OBJECT_LINES,
    async run(given) {
      const databases = databasesOf(await given.app())
      if (given.options.status) return showStatus(databases, given)
      if (given.options.checkOnline) return checkOnline(databases, given)
      let count = 0
      for (const database of databases)
        for (const name of await database.migrate()) {
          given.report({ done: name }, `Done: ${name}`)
          count += 1
        }
      if (count === 0 && !given.json) given.terminal.print('The tables are up to date.')
    },
  }),
  command({
    name: 'backup <file>',
    summary: 'copy the file of the database while it serves',
    description:
      'Copies the database of the application into a new file, while others read and write it, and reads the copy through.',
    args: { file: ['the new file'] },
    json: ONE_OBJECT,
    async run({ app, args: [file], terminal, report }) {
      const path = absolute(terminal.cwd, file)
      const { bytes } = await backUp(await app(), path)
      report({ file: path, bytes }, `${path}: ${bytes} bytes, checked.`)
    },
  }),
]

function databasesOf({ databases }: App): readonly Database[] {
  if (databases.length > 0) return databases
  throw new CommandFailed(
    'This application has no database. Give it to defineApi({ database }) or, with accounts, defineApi({ accounts }).',
  )
}

async function backUp(app: App, file: string): Promise<{ readonly bytes: number }> {
  const [database, ...others] = databasesOf(app)
  if (others.length > 0)
    throw new CommandFailed(
      'This application has several databases. Copy each in a program: await database.backup(file).',
    )
  if (database!.backup !== undefined) return database!.backup(file)
  const { name } = database!.dialect
  throw new CommandFailed(`The database is one of ${name}, and no file. Use the tools of ${name}.`)
}

/** Exits with 1 if migrations are pending, for scripts. */
async function showStatus(
  databases: readonly Database[],
  { list }: CommandInput<[]>,
): Promise<number> {
  const all = (await Promise.all(databases.map((database) => database.migrationStatus()))).flat()
  await list(all, MIGRATIONS)
  return all.every(({ state }) => state === 'applied' || state === 'unknown') ? 0 : 1
}

/** 1 where requests would wait, for scripts that migrate while the service answers. */
async function checkOnline(
  databases: readonly Database[],
  { json, terminal: { print } }: CommandInput<[]>,
): Promise<number> {
  const all = await Promise.all(
    databases.map(async (database) => {
      const found = await database.blockingMigrations?.()
      if (found) return found
      const { name } = database.dialect
      throw new CommandFailed(
        `The database is one of ${name}, where each migration keeps all writes waiting: nothing is checked.`,
      )
    }),
  )
  const found = all.flat()
  for (const each of found) {
    if (json) print(JSON.stringify(each))
    else print(`${each.migration}: ${each.sql}\n  ${each.why}\n  ${each.instead}`)
  }
  const { LARGE } = await import('../../storage/sql/migrations/online.ts')
  if (found.length === 0 && !json)
    print(`Nothing that is pending locks a table of ${LARGE} rows or more.`)
  return found.length === 0 ? 0 : 1
}

const MIGRATIONS: ListForm<MigrationStatus> = {
  heading: ['MIGRATION', 'OF', 'STATE', 'APPLIED'],
  row: ({ name, of, state, applied }) => [name, of, state, applied?.toISOString() ?? '-'],
  json: ({ name, of, state, applied }) => ({ name, of, state, applied: applied ?? null }),
}
