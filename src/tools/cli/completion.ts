// Completes commands, their options and the names of endpoints: a script tells the shell to ask this program.
import type { Command, Option } from 'commander'
import { loadApp } from './application.ts'
import { type CommandNode, command } from './command.ts'
import type { Terminal } from './terminal.ts'

const ASK = 'colophon complete -- '

/** What is asked has the words up to the cursor; an answer is a line, with a tab before its description. */
const SCRIPTS = {
  // To bash a colon ends a word: it is given what stands behind the last one.
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
  fish: `complete -c colophon -a '(${ASK}(commandline -opc)[2..] (commandline -ct) 2> /dev/null)'`,
} as const

type Shell = keyof typeof SCRIPTS

export const completionCommand: CommandNode = command({
  name: 'completion <shell>',
  summary: 'print a script that completes commands',
  description: 'Prints a script with which a shell completes commands and options.',
  args: { shell: ['the shell', { choices: Object.keys(SCRIPTS) }] },
  run: ({ args: [shell], terminal }) => terminal.print(SCRIPTS[shell as Shell]),
})

/** What the scripts ask. */
export function completing(program: Command, { print, cwd }: Terminal): void {
  program.command('complete [words...]', { hidden: true }).action(async (words: string[]) => {
    for (const [word, meaning] of await offered(program, words, cwd)) print(`${word}\t${meaning}`)
  })
}

type Offer = readonly [word: string, meaning: string]

/** Whatever may stand in the place of the last word. */
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

/** Only commands about an endpoint load the application, for its names. */
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
