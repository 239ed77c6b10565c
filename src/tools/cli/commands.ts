import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { Argument, Command, CommanderError, type Help, Option } from 'commander'
import { InvalidAccount } from '../../accounts/account-input.ts'
import { CannotListen } from '../../core/serving/listening.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import {
  DatabaseUnavailable,
  MigrationFailed,
  UsernameTaken,
} from '../../core/errors/storage-errors.ts'
import { type CommandContext, loadApp } from './application.ts'
import { addClientCommand } from './client/command.ts'
import { addContractCommands } from './contract-commands.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { addInitCommand } from './init.ts'
import type { InspectOptions } from './inspect/inspect.ts'
import { addEndpointCommands, addOpenApiCommand } from './endpoint-commands.ts'
import { addServiceCommands } from './service-commands.ts'
import { CommandFailed, JSON_FLAG, ONE_OBJECT, type Terminal } from './terminal.ts'
import { addTokenCommands, addUserCommands } from './account-commands.ts'

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
    // It has printed what was wrong with the arguments, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error
    terminal.complain(`colophon: ${(error as Error).message}`)
    return error instanceof CommandFailed ? error.status : 1
  }
}

/** All commands, in the order of the help. */
export function createProgram(terminal: Terminal, end: CommandContext['end']): Command {
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
  let running = ''
  let module: string | null = null
  program.hook('preAction', (_, action) => {
    running = nameOf(action)
    module = action.optsWithGlobals<{ app?: string }>().app ?? null
  })
  const context: CommandContext = {
    terminal,
    end,
    app: () => loadApp(module, terminal.cwd),
    command: () => running,
  }
  program.commandsGroup('Begin:')
  addInitCommand(program, context)
  addInspectCommand(program, terminal)
  program.commandsGroup('Run:')
  addServiceCommands(program, context)
  program.commandsGroup('Look at an application:')
  addEndpointCommands(program, context)
  addOpenApiCommand(program, context)
  addContractCommands(program, context)
  addClientCommand(program, context)
  addDoctorCommand(program, context)
  program.commandsGroup('Accounts:')
  addUserCommands(program, context)
  addTokenCommands(program, context)
  program.commandsGroup('Shell:')
  addCompletionCommand(program, terminal)
  takeEverywhere(program.options[0]!, program)
  return program.addHelpText('after', () => examples(terminal))
}

/** `--app` may stand behind a command too, while `--version` means something else behind some. */
function takeEverywhere(option: Option, program: Command): void {
  program.enablePositionalOptions()
  for (const command of program.commands) {
    command.addOption(new Option(option.flags).hideHelp())
    takeEverywhere(option, command)
  }
}

/** `colophon completion` */
function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print a script that completes commands')
    .description('Prints a script with which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(COMPLETIONS)))
    .action((shell: string) => terminal.print(COMPLETIONS[shell]!(program)))
}

/** `token create`: what is typed behind the name of the program. */
function nameOf(command: Command): string {
  const { parent } = command
  if (parent === null) return ''
  return `${nameOf(parent)} ${command.name()}`.trim()
}

function version(): string {
  const manifest = findPackageJSON(import.meta.url)!
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}

function styles({ styled }: Terminal): Partial<Help> {
  return {
    // Which options there are is for the help of the command itself.
    subcommandTerm: (command) =>
      [command.name(), ...command.registeredArguments.map(humanArgument)].join(' '),
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

/** `colophon inspect`, which needs no application. */
function addInspectCommand(program: Command, terminal: Terminal): void {
  program
    .command('inspect')
    .summary('write the program for a database that exists')
    .description('Writes tables, serializers, addresses and resources of a database that exists.')
    .option('--database <url>', 'the database (default: the key DATABASE_URL)')
    .option('--tables <names>', 'only these, with commas between; * stands for any text')
    .option('--exclude <names>', 'all but these')
    .option('--out <folder>', 'where to write', '.')
    .addOption(
      new Option('--naming <style>', 'names for clients: camel (authorId) or snake (author_id)')
        .choices(['camel', 'snake'])
        .default('camel'),
    )
    .option('--force', 'replace files that are there')
    .option(JSON_FLAG, ONE_OBJECT)
    // Other commands need not load what writes programs.
    .action(async (options: InspectOptions) => {
      const { inspect } = await import('./inspect/inspect.ts')
      await inspect(options, terminal)
    })
}

/** One command as a shell completes it. */
interface Node {
  /** What is typed behind the name of the program: `token create`. */
  readonly name: string
  readonly below: readonly Command[]
  readonly options: readonly Option[]
}

/** Scripts that complete the commands of a program, made from their definitions; no program runs at a key. */
const COMPLETIONS: Readonly<Record<string, (program: Command) => string>> = {
  bash: (program) => `${shellFunction(nodesOf(program), BASH)}\n${BASH.end}`,
  zsh: (program) => `#compdef colophon\n${shellFunction(nodesOf(program), ZSH)}\n${ZSH.end}`,
  fish: (program) => fishLines(nodesOf(program)).join('\n'),
}

function nodesOf(command: Command, name = ''): readonly Node[] {
  const help = command.createHelp()
  const below = command.commands
  const options = help.visibleOptions(command).filter(({ hidden }) => !hidden)
  const nodes = below.flatMap((each) => nodesOf(each, `${name} ${each.name()}`.trim()))
  return [{ name, below, options }, ...nodes]
}

const flagsOf = ({ short, long }: Option): readonly string[] =>
  [long, short].filter((flag) => flag !== undefined)
const takesValue = ({ required, optional }: Option): boolean => required || optional
/** As one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** How two shells that are nearly the same differ. */
interface Shell {
  /** The words before the cursor: their name, the number of the first, and of the one that is completed. */
  readonly typed: readonly [words: string, first: number, current: string]
  /** Offers the words of `$found`. */
  readonly offer: string
  readonly end: string
}

const BASH: Shell = {
  typed: ['COMP_WORDS', 1, 'COMP_CWORD'],
  // To bash a colon ends a word: it is given what stands behind the last one.
  offer: `local word="\${COMP_LINE:0:COMP_POINT}"; word="\${word##* }"
  COMPREPLY=($(compgen -W "$found" -- "$word"))
  [[ "$word" != *:* || "$COMP_WORDBREAKS" != *:* ]] || COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*:}"}"}")`,
  end: 'complete -o default -F _colophon colophon',
}
const ZSH: Shell = {
  typed: ['words', 2, 'CURRENT'],
  offer: 'if [ -n "$found" ]; then compadd -- ${=found}; else _files; fi',
  // In a folder of functions the file is the function, and is run to complete.
  end: 'if [ "$funcstack[1]" = _colophon ]; then _colophon "$@"; else compdef _colophon colophon; fi',
}

/** Commands whose argument is the name of an endpoint. Only these ask the application, when the key is pressed. */
const NAMING: ReadonlySet<string> = new Set(['routes', 'explain'])
const NAMES = 'colophon routes 2> /dev/null | tail -n +2 | cut -f 2'
const namesUnlessOption = (words: string, current: string): string =>
  `; [[ "\${${words}[${current}]}" == -* ]] || found="$found $(${NAMES})"`

function shellFunction(nodes: readonly Node[], { typed, offer }: Shell): string {
  const [words, first, current] = typed
  const steps = nodes.flatMap(({ name, below }) =>
    below.map((each) => quoted(`${name}/${each.name()}`)),
  )
  const valued = nodes.flatMap(({ options }) => options.filter(takesValue).flatMap(flagsOf))
  const values = nodes.flatMap(({ name, options }) =>
    options.filter(takesValue).flatMap((option) => {
      const places = flagsOf(option).map((flag) => quoted(`${name}/${flag}`))
      return `    ${places.join('|')}) found=${quoted(option.argChoices?.join(' ') ?? '')} ;;`
    }),
  )
  const offered = nodes.map(({ name, below, options }) => {
    const all = [...below.map((each) => each.name()), ...options.flatMap(flagsOf)]
    const names = NAMING.has(name) ? namesUnlessOption(words, current) : ''
    return `      ${quoted(name)}) found=${quoted(all.join(' '))}${names} ;;`
  })
  return `_colophon() {
  local at='' found='' i
  for ((i = ${first}; i < ${current}; i++)); do
    case "$at/\${${words}[i]}" in
      ${steps.join('|')}) at="\${at:+$at }\${${words}[i]}" ;;
      ${[...new Set(valued)].map((flag) => `*/${flag}`).join('|')}) ((i + 1 < ${current})) && ((i++)) ;;
    esac
  done
  case "$at/\${${words}[${current}-1]}" in
${values.join('\n')}
    *) case "$at" in
${offered.join('\n')}
    esac ;;
  esac
  ${offer}
}`
}

function fishLines(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap(({ name, below, options }) => {
    const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    const names = below.map((each) => each.name())
    const open = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`]
    const when = [...(name === '' ? [] : seen), ...open].join('; and ')
    const line = `complete -c colophon -n ${quoted(when)}`
    return [
      ...below.map((each) => `${line} -f -a ${each.name()} -d ${quoted(each.summary())}`),
      ...(NAMING.has(name) ? [`${line} -f -a ${quoted(`(${NAMES})`)}`] : []),
      ...options.map((option) => `${line} ${fishFlags(option)} -d ${quoted(option.description)}`),
    ]
  })
}

function fishFlags(option: Option): string {
  const flags = flagsOf(option).map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  )
  if (!takesValue(option)) return flags.join(' ')
  const { argChoices } = option
  return `${flags.join(' ')} ${argChoices ? `-x -a ${quoted(argChoices.join(' '))}` : '-r'}`
}
