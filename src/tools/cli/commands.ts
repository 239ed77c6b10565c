import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import {
  type Argument,
  Command,
  CommanderError,
  type Help,
  InvalidArgumentError,
  Option,
} from 'commander'
import { InvalidAccount } from '../../accounts/account-input.ts'
import { CannotListen } from '../../core/serving/listening.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import {
  DatabaseUnavailable,
  MigrationFailed,
  UsernameTaken,
} from '../../core/errors/storage-errors.ts'
import { drfCreateToken, tokenCommands, userCommands } from './account-commands.ts'
import { clientCommands } from './client/command.ts'
import { loadApp } from './application.ts'
import { type CommandNode, ONE_OBJECT, addCommand, command, refusingOthers } from './command.ts'
import { contractCommands } from './contract-commands.ts'
import { databaseCommands } from './database-commands.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { endpointCommands } from './endpoint-commands.ts'
import { initCommand } from './init.ts'
import { serviceCommands } from './service-commands.ts'
import { CommandFailed, type Terminal } from './terminal.ts'

/** Needs no application. */
const inspectCommand = command({
  name: 'inspect',
  summary: 'write the program for a database that exists',
  description: 'Writes tables, serializers, addresses and resources of a database that exists.',
  options: [
    ['--database <url>', 'the database (default: the key DATABASE_URL)'],
    ['--tables <names>', 'only these, with commas between; * stands for any text', { read: list }],
    ['--exclude <names>', 'all but these', { read: list }],
    ['--out <folder>', 'where to write', { default: '.' }],
    [
      '--naming <style>',
      'names for clients: camel (authorId) or snake (author_id)',
      { choices: ['camel', 'snake'], default: 'camel' },
    ],
    ['--for <library>', 'over a schema that you have', { choices: ['drizzle', 'prisma'] }],
    ['--schema <file>', 'the module that exports the tables of Drizzle, or the client of Prisma'],
    ['--force', 'replace files that are there'],
  ],
  json: ONE_OBJECT,
  // Other commands need not load what writes programs.
  run: async (given) => (await import('./inspect/inspect.ts')).inspect(given),
})

/** A variable of a shell that is not set names none, which would mean all. */
function list(text: string): readonly string[] {
  const names = text.split(',').flatMap((each) => each.trim() || [])
  if (names.length > 0) return names
  throw new InvalidArgumentError('It names none.')
}

const ASK = 'colophon complete -- '

/** A question has the words up to the cursor; an answer is a line, with a tab before its description. */
const SCRIPTS = {
  // In bash a colon ends a word, so bash is given what stands behind the last colon.
  bash: `_colophon() {
  local IFS=$'\\n' word="\${COMP_LINE:0:COMP_POINT}"; word="\${word##* }"
  COMPREPLY=($(${ASK}"\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$word" 2> /dev/null | cut -f 1))
  [[ "$word" != *:* || "$COMP_WORDBREAKS" != *:* ]] || COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}")
}
complete -o default -F _colophon colophon`,
  // In a folder of functions the file is the function, and is run to complete.
  zsh: `#compdef colophon
_colophon() {
  local found=(\${(f)"$(${ASK}"\${(@)words[2,CURRENT]}" 2> /dev/null | cut -f 1)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [ "$funcstack[1]" = _colophon ]; then _colophon "$@"; else compdef _colophon colophon; fi`,
  fish: `function __colophon_complete
  set -l found (${ASK}(commandline -opc)[2..] (commandline -ct) 2> /dev/null)
  if set -q found[1]; printf '%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c colophon -f -a '(__colophon_complete)'`,
} as const

type Shell = keyof typeof SCRIPTS

const completionCommand: CommandNode = command({
  name: 'completion <shell>',
  summary: 'print a script that completes commands',
  description: 'Prints a script with which a shell completes commands and options.',
  args: { shell: ['the shell', { choices: Object.keys(SCRIPTS) }] },
  run: ({ args: [shell], terminal }) => terminal.print(SCRIPTS[shell as Shell]),
})

/** All commands, in the order of the help. */
const COMMANDS: Readonly<Record<string, readonly CommandNode[]>> = {
  'Begin:': [initCommand, inspectCommand],
  'Run:': [...serviceCommands, ...databaseCommands],
  'Look at an application:': [...endpointCommands, contractCommands, clientCommands, doctorCommand],
  'Accounts:': [userCommands, tokenCommands, drfCreateToken],
  'Shell:': [completionCommand],
}

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

/** Node's errors about a file name it and say what is wrong with it. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** Runs one command of the command line and gives its exit status. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0
  try {
    await createProgram(terminal, (ended) => (status = ended)).parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    // The parser has already printed the error in the arguments, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!EXPECTED.some((kind) => error instanceof kind) && !isOfFile(error)) throw error
    terminal.complain(`colophon: ${(error as Error).message}`)
    return error instanceof CommandFailed ? error.status : 1
  }
}

export function createProgram(terminal: Terminal, end: (status: number) => void): Command {
  const program = new Command('colophon')
    .description('Runs and looks after a Colophon service.')
    .usage('[--app <module>] <command>')
    .addOption(
      new Option(
        '--app <module>',
        'module with the application (default: "app" in colophon.json, else app.ts, src/app.ts, dist/app.js)',
      ),
    )
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'show this help; works behind every command')
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp(styles(terminal))
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'colophon: ')),
      getOutHelpWidth: () => Math.min(terminal.columns ?? 80, 100),
      getOutHasColors: () => true,
    })
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading)
    for (const each of commands) addCommand(program, each, terminal, end)
  }
  // The questions of the scripts.
  program.command('complete [words...]', { hidden: true }).action(async (words: string[]) => {
    for (const offer of await offered(program, words, terminal.cwd))
      terminal.print(offer.join('\t'))
  })
  return refusingOthers(program).addHelpText('after', () => examples(terminal))
}

function version(): string {
  const manifest = findPackageJSON(import.meta.url)!
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}

function styles({ styled }: Terminal): Partial<Help> {
  return {
    // The help of the command itself has its options.
    subcommandTerm: (each) =>
      [each.name(), ...each.registeredArguments.map(humanArgument)].join(' '),
    styleTitle: (text) => styled('bold', text),
    styleCommandText: (text) => styled('cyan', text),
    styleSubcommandText: (text) => styled('cyan', text),
    styleOptionText: (text) => styled('cyan', text),
    styleArgumentText: (text) => styled('cyan', text),
  }
}

function humanArgument(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

const EXAMPLES = [
  ['colophon init notes', 'write a first project into the folder notes'],
  ['colophon serve --watch', 'serve it, and start again when its files change'],
  ['colophon explain GET /notes/?page=2', 'show what would happen to a request'],
  ['colophon token create alice', 'make a token, and print its key'],
  ['colophon routes --json | jq .path', 'use results in programs'],
] as const

function examples({ styled }: Terminal): string {
  const longest = Math.max(...EXAMPLES.map(([line]) => line.length))
  const lines = EXAMPLES.map(
    ([line, does]) => `  ${styled('cyan', line)}${' '.repeat(longest - line.length)}  ${does}`,
  )
  return `\n${styled('bold', 'Examples:')}\n${lines.join('\n')}\n\nExit status: 0 done, 1 could not do it, 2 not a command.`
}

type Offer = readonly [word: string, meaning: string]

/** All words that may stand in the place of the last one. */
async function offered(
  program: Command,
  words: readonly string[],
  cwd: string,
): Promise<readonly Offer[]> {
  const begun = words.at(-1) ?? ''
  let at = program
  let open: Option | undefined
  for (const word of words.slice(0, -1)) {
    const isValue = open !== undefined
    open = isValue
      ? undefined
      : at.options.find((each) => [each.long, each.short].includes(word) && takesValue(each))
    if (!isValue && open === undefined) at = at.commands.find((each) => each.name() === word) ?? at
  }
  const values = open?.argChoices?.map((choice): Offer => [choice, ''])
  const all = open === undefined ? await behind(at, begun, cwd) : (values ?? [])
  return all.filter(([word]) => word.startsWith(begun))
}

const takesValue = ({ required, optional }: Option): boolean => required || optional

/** The words that may follow a command. Only commands about an endpoint load the application, for its names. */
async function behind(at: Command, begun: string, cwd: string): Promise<readonly Offer[]> {
  const help = at.createHelp()
  const below = help.visibleCommands(at).map((each): Offer => [each.name(), each.summary()])
  const options = help
    .visibleOptions(at)
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap((flag): Offer[] => (flag === undefined ? [] : [[flag, description]])),
    )
  const isAboutOne = ['routes', 'explain'].includes(at.name()) && !begun.startsWith('-')
  const endpoints = isAboutOne ? (await loadApp(null, cwd)).describe() : []
  const choices = at.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return [
    ...below,
    ...options,
    ...endpoints.map(({ name, path }): Offer => [name, path]),
    ...choices.map((choice): Offer => [choice, '']),
  ]
}
