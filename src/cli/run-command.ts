import { Command, CommanderError } from 'commander'
import { InvalidAccount } from '../accounts/account-input.ts'
import { CannotListen } from '../doors/listening.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { DatabaseUnavailable, MigrationFailed, UsernameTaken } from '../errors/storage-errors.ts'
import { CANDIDATES, type Context, loadApp } from './application.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { addInitCommand } from './init.ts'
import type { InspectOptions } from './inspect/inspect.ts'
import { addServiceCommands } from './service-commands.ts'
import { CommandFailed, type Terminal } from './terminal.ts'
import { addTokenCommands } from './token-commands.ts'
import { addUserCommands } from './user-commands.ts'

/** Errors whose message is enough. Any other is a mistake in this package or the application, and keeps its stack. */
const EXPECTED = [
  CommandFailed,
  ConfigurationError,
  DatabaseUnavailable,
  MigrationFailed,
  UsernameTaken,
  InvalidAccount,
  CannotListen,
]

/** Runs one command of the command line and gives its exit status. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0
  try {
    await createProgram(terminal, (ended) => (status = ended)).parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error
    terminal.complain(`colophon: ${(error as Error).message}`)
    return error instanceof CommandFailed ? error.status : 1
  }
}

function createProgram(terminal: Terminal, end: Context['end']): Command {
  const program = new Command('colophon')
    .description('Runs and looks after a Colophon service.')
    .option(
      '--app <module>',
      `module whose default export is the application (default: "app" in colophon.json, else ${CANDIDATES.join(', ')})`,
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'colophon: ')),
    })
  const app = () => loadApp(program.opts<{ app?: string }>().app ?? null, terminal.cwd)
  const context = { terminal, app, end }
  addInitCommand(program, context)
  addServiceCommands(program, context)
  addDoctorCommand(program, context)
  addUserCommands(program, context)
  addTokenCommands(program, context)
  addInspectCommand(program, terminal)
  return program
}

/** `colophon inspect`, which needs no application. */
function addInspectCommand(program: Command, terminal: Terminal): void {
  program
    .command('inspect')
    .description('writes tables, serializers, addresses and resources of a database that exists')
    .option('--database <url>', 'the database (default: the key DATABASE_URL)')
    .option('--tables <names>', 'only these, with commas between; * stands for any text')
    .option('--exclude <names>', 'all but these')
    .option('--out <folder>', 'where to write', '.')
    .option('--naming <style>', 'names for clients: camel or snake', 'camel')
    .option('--force', 'replaces files that are there')
    // Other commands need not load what writes programs.
    .action(async (options: InspectOptions) => {
      const { inspect } = await import('./inspect/inspect.ts')
      await inspect(options, terminal)
    })
}
