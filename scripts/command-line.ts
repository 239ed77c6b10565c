// `node scripts/command-line.ts`: writes the help of every command into docs/command-line.md, between marks with its name. With
// --check it writes nothing, and fails if the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { createProgram } from '../src/tools/cli/commands.ts'
import { root } from './run.ts'

const page = join(root, 'docs', 'command-line.md')

/** The help of every command by its name; the program itself has none. */
export function helpTexts(): ReadonlyMap<string, string> {
  const terminal = {
    cwd: root,
    input: Readable.from([]),
    print: () => {},
    complain: () => {},
    columns: 100,
    screen: null,
    styled: (_: unknown, text: string) => text,
  }
  return new Map(
    commandsIn(
      createProgram(terminal, () => {}),
      '',
    ),
  )
}

function commandsIn(command: Command, name: string): readonly (readonly [string, string])[] {
  const own = [name, helpOf(command)] as const
  const shown = command.createHelp().visibleCommands(command)
  const below = shown.flatMap((each) => commandsIn(each, `${name} ${each.name()}`.trim()))
  return [own, ...below]
}

/** The help with its additions, such as examples. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (piece) => (text += piece) }).outputHelp()
  return text.trim()
}

const MARKED = /<!-- help of colophon(?: (?<name>[a-z_ -]+))? -->\n[^]*?<!-- end of help -->/g

/** The page with the help of every command that it mentions. */
export function withHelp(text: string, helps: ReadonlyMap<string, string>): string {
  return text.replace(MARKED, (_, name: string = '') => {
    const help = helps.get(name)
    if (help === undefined) throw new Error(`docs/command-line.md: there is no command "${name}".`)
    const mark = `help of colophon ${name}`.trim()
    return `<!-- ${mark} -->\n\n\`\`\`text\n${help}\n\`\`\`\n\n<!-- end of help -->`
  })
}

/** The names of the commands whose help a page has. */
export function helpOn(text: string): readonly string[] {
  return [...text.matchAll(MARKED)].map(({ groups }) => groups?.['name'] ?? '')
}

if (import.meta.main) {
  const text = readFileSync(page, 'utf8')
  const made = withHelp(text, helpTexts())
  const isStale = made !== text
  if (!process.argv.includes('--check')) writeFileSync(page, made)
  else if (isStale) {
    console.error('docs/command-line.md is not up to date. Run `npm run reference`.')
    process.exitCode = 1
  }
}
