import { Command, CommanderError } from 'commander'
import { InvalidAccount } from '../accounts/username.ts'
import { CannotListen } from '../doors/listening.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { DatabaseUnavailable, UsernameTaken } from '../errors/storage-errors.ts'
import { randomText } from '../std/crypto/random.ts'
import { addAccountCommands } from './account-commands.ts'
import { explain } from './commands/explain.ts'
import { migrate } from './commands/migrate.ts'
import { routes } from './commands/routes.ts'
import { serveApp } from './commands/serve-app.ts'
import { loadApp } from './load-app.ts'
import { CommandFailed, type Terminal } from './terminal.ts'

/** Runs one command of the command line and gives its exit status. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    if (!isExpected(error)) throw error
    terminal.complain(`colophon: ${error.message}`)
    return 1
  }
}

/** Failures whose message says all; anything else is a mistake of ours and keeps its stack. */
function isExpected(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind)
}

const EXPECTED = [
  CommandFailed,
  ConfigurationError,
  DatabaseUnavailable,
  UsernameTaken,
  InvalidAccount,
  CannotListen,
]

function createProgram(terminal: Terminal): Command {
  const program = new Command('colophon')
    .description('Runs and looks after a Colophon service.')
    .option('--app <module>', 'module whose default export is the application')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
    })
  const app = () => loadApp(program.opts<{ app?: string }>().app ?? null, terminal.cwd)
  addServiceCommands(program, app, terminal)
  addAccountCommands(program, app, terminal)
  return program
}

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

type Load = () => ReturnType<typeof loadApp>

function addServiceCommands(program: Command, app: Load, terminal: Terminal): void {
  program
    .command('serve')
    .description('serves the application until it is told to stop')
    .option('--port <number>', 'port to listen on (default: the key PORT, else 8000)')
    .option('--host <address>', 'address to listen on (default: the key HOST, else 127.0.0.1)')
    .action(async (options) => serveApp(await app(), options, terminal))
  program
    .command('secret')
    .description('prints a new secret for the key SECRET_KEY')
    .action(() => terminal.print(randomText(64, LETTERS_AND_DIGITS)))
  program
    .command('migrate')
    .description('brings the tables of users and tokens up to date')
    .action(async () => migrate(await app(), terminal))
  program
    .command('routes')
    .description('lists every address with its methods and its endpoint')
    .action(async () => routes(await app(), terminal))
  program
    .command('explain <endpoint>')
    .description('says every setting of an endpoint, and the layer that said it')
    .action(async (name: string) => explain(await app(), name, terminal))
}
