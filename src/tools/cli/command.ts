import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../../core/std/text/nearest.ts'
import type { App } from '../../preset/define-api.ts'
import { loadApp } from './application.ts'
import { type ListForm, type Terminal, printTable } from './terminal.ts'

/** Flags as help shows them, their meaning, and further facts. */
type OptionRow = readonly [flags: string, meaning: string, more?: OptionFacts]

interface OptionFacts {
  /** Reads the value. @default a text */
  readonly read?: (text: string) => unknown
  readonly choices?: readonly string[]
  readonly default?: string
  /** The options that it would make meaningless, or that would make it so: both together are wrong usage. */
  readonly conflicts?: readonly string[]
  readonly isHidden?: boolean
}

/** A command: its help, its arguments, and its work. */
export interface CommandFacts<Name extends string, Rows extends readonly OptionRow[]> {
  /** With its arguments: `create [username]`. */
  readonly name: Name
  readonly summary: string
  readonly description: string
  /** The meaning of arguments, by name. */
  readonly args?: Readonly<Record<string, readonly [meaning: string, more?: OptionFacts]>>
  readonly options?: Rows
  /** The data that `--json` prints; without it the command has no such option. */
  readonly json?: string
  /** Gives the exit status. @default 0 */
  readonly run: (
    given: CommandInput<ArgsOf<Name>, OptionsOf<Rows>>,
  ) => MaybeStatus | Promise<MaybeStatus>
}
type MaybeStatus = number | void

export const ONE_OBJECT = 'print one JSON object, for programs'
export const OBJECT_LINES = 'print one JSON object a line, for programs'

/** The application that commands are about, and where they print. */
export interface CommandContext {
  readonly terminal: Terminal
  app(): Promise<App>
  /** The command without its arguments: `token create`. */
  readonly command: string
}

/** The input of a command, and its way of printing: for people, or with `--json` for programs. */
export interface CommandInput<Args, Options = unknown> extends CommandContext {
  readonly args: Args
  readonly options: Options
  /** The module in `--app`; `null`: none. */
  readonly module: string | null
  readonly json: boolean
  /** Prints a result: a sentence, or an object. */
  report(facts: object, sentence: string): void
  /** Prints a table, or one object a line while the items arrive. */
  list<T>(items: AsyncIterable<T> | Iterable<T>, form: ListForm<T>): Promise<void>
}

/** A command, or several below a name. */
export type CommandNode = CommandFacts<string, never> | CommandGroup

interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly commands: readonly CommandNode[]
}

/** A command whose arguments and options have the types that its texts say. */
export function command<
  const Name extends string,
  const Rows extends readonly OptionRow[] = readonly [],
>(facts: CommandFacts<Name, Rows>): CommandNode {
  return facts as unknown as CommandNode
}

export function wholeFrom(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : -1
    if (value >= from && value <= to) return value
    throw new InvalidArgumentError(`It is a whole number from ${from} to ${to}.`)
  }
}

const APP = '--app <module>'

/** Adds a command. `--app` may stand behind each command, while `--version` means something else behind some. */
export function addCommand(
  parent: Command,
  facts: CommandNode,
  terminal: Terminal,
  end: (status: number) => void,
): void {
  const [name, ...args] = facts.name.split(' ')
  const made = parent.command(name!).summary(facts.summary).description(facts.description)
  made.addOption(new Option(APP).hideHelp())
  if ('commands' in facts) {
    refusingOthers(made.helpCommand(false).enablePositionalOptions())
    return facts.commands.forEach((each) => addCommand(made, each, terminal, end))
  }
  for (const arg of args) {
    const [meaning, more = {}] = facts.args?.[/\w+/.exec(arg)![0]] ?? ['']
    const argument = new Argument(arg, meaning)
    if (more.choices) argument.choices(more.choices)
    made.addArgument(argument.default(more.default))
  }
  for (const row of facts.options ?? []) made.addOption(optionOf(row))
  if (facts.json !== undefined) made.option('--json', facts.json)
  const meanings = made.registeredArguments.map(
    (each) => each.description && `\n  ${each.name()}: ${each.description}`,
  )
  made.showHelpAfterError(`Usage: colophon ${nameOf(made)} ${made.usage()}${meanings.join('')}`)
  made.action(async () => end((await facts.run(givenTo(made, terminal) as never)) ?? 0))
}

/** Refuses a name that no command has, also where its help is asked for, and names the commands of the group. */
export function refusingOthers(group: Command): Command {
  const refuse = (): void => {
    const word = group.args.find((each) => !each.startsWith('-'))
    if (word === undefined) return
    // `--help` stands before the name.
    group.commands.find((each) => each.name() === word)?.help()
    const names = group
      .createHelp()
      .visibleCommands(group)
      .map((each) => each.name())
    const near = didYouMean(word, names)
    group.error(`error: unknown command '${word}'.${near} Commands: ${names.join(', ')}`)
  }
  return group.on('command:*', refuse).on('beforeHelp', refuse)
}

function optionOf([flags, meaning, more = {}]: OptionRow): Option {
  const option = new Option(flags, meaning).hideHelp(more.isHidden ?? false)
  if (more.read) option.argParser(more.read)
  if (more.choices) option.choices(more.choices)
  option.conflicts([...(more.conflicts ?? [])])
  return more.default === undefined ? option : option.default(more.default)
}

function givenTo(made: Command, terminal: Terminal): CommandInput<unknown, unknown> {
  const { app: module = null, json = false } = made.optsWithGlobals<Common>()
  // The result of a stream is not a status.
  const print = (line: string): void => {
    terminal.print(line)
  }
  return {
    terminal: { ...terminal, print },
    app: () => loadApp(module, terminal.cwd),
    command: nameOf(made),
    args: made.processedArgs,
    options: made.opts(),
    module,
    json,
    report: (facts, sentence) => print(json ? JSON.stringify(facts) : sentence),
    async list(items, form) {
      const rows = [form.heading]
      for await (const item of items) {
        if (json) print(JSON.stringify(form.json(item)))
        else rows.push(form.row(item))
      }
      if (!json) await printTable(terminal, rows)
    },
  }
}

interface Common {
  readonly app?: string
  readonly json?: boolean
}

/** The words behind the name of the program. */
function nameOf(made: Command): string {
  return made.parent === null ? '' : `${nameOf(made.parent)} ${made.name()}`.trim()
}

type ArgsOf<Name> = Name extends `${string} ${infer Args}` ? ArgsIn<Args> : []
type ArgsIn<Text> = Text extends `${infer First} ${infer Rest}`
  ? [ArgOf<First>, ...ArgsIn<Rest>]
  : [ArgOf<Text>]
type ArgOf<Word> = Word extends `[${string}...]`
  ? readonly string[]
  : Word extends `[${string}`
    ? string | undefined
    : string

type OptionsOf<Rows extends readonly OptionRow[]> = {
  readonly [Row in Rows[number] as CamelCase<LongName<Row[0]>>]:
    | ValueOf<Row>
    | (Row extends readonly [string, string, { readonly default: string }] ? never : undefined)
}
type LongName<Flags> = Flags extends `${string}--no-${infer Name}`
  ? Name
  : Flags extends `${string}--${infer Name} ${string}` | `${string}--${infer Name}`
    ? Name
    : never
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type ValueOf<Row extends OptionRow> = Row extends readonly [
  string,
  string,
  { readonly read: (text: string) => infer Value } | { readonly choices: readonly (infer Value)[] },
]
  ? Value
  : Row[0] extends `${string}...>`
    ? readonly string[]
    : Row[0] extends `${string}>`
      ? string
      : boolean
