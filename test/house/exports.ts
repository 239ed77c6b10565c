// The names that an entry point exports, with their doc comments.
import { posix } from 'node:path'

/** Reads a file by its path from the root. */
export type Read = (file: string) => string

/** An exported name, and the place of its declaration. */
export interface Exported {
  readonly name: string
  readonly file: string
  readonly documented: boolean
}

/** All exports of `file`, with the places of their declarations. */
export function exportsOf(file: string, read: Read): Exported[] {
  const text = read(file)
  return [
    ...[...text.matchAll(declarations)].map((match) => declared(match[1] ?? '', file, text)),
    ...[...text.matchAll(lists)].flatMap(([, names = '', from]) =>
      namesIn(names).map(({ local, name }) => ({
        ...(from === undefined ? declared(local, file, text) : find(local, next(file, from), read)),
        name,
      })),
    ),
    ...[...text.matchAll(stars)].flatMap(([, from = '']) => exportsOf(next(file, from), read)),
  ]
}

const keywords =
  '(?:declare\\s+)?(?:abstract\\s+)?(?:async\\s+)?(?:class|function\\*?|const|let|interface|type)'
const declarations = new RegExp(`^export\\s+${keywords}\\s+([\\w$]+)`, 'gm')
const lists = /^export\s+(?:type\s+)?\{([\w$\s,]*)\}(?:\s*from\s*'([^']+)')?/gm
const stars = /^export\s+(?:type\s+)?\*\s*from\s*'([^']+)'/gm

function find(name: string, file: string, read: Read): Exported {
  const found = exportsOf(file, read).find((each) => each.name === name)
  if (!found) throw new Error(`${file} does not export ${name}.`)
  return found
}

function declared(name: string, file: string, text: string): Exported {
  const declaration = new RegExp(
    `^(?:export\\s+)?${keywords}\\s+${name.replaceAll('$', '\\$')}(?![\\w$])`,
    'm',
  )
  const start = text.search(declaration)
  if (start < 0) throw new Error(`${file} exports ${name}, but where is it declared?`)
  return { name, file, documented: documentedAbove(text.slice(0, start)) }
}

/** Does a text end in a doc comment? Directives for the linter may follow it. */
function documentedAbove(text: string): boolean {
  const above = text.replace(/(?:^[ \t]*\/\/ oxlint-.*\n)+$/m, '')
  const comment = above.slice(above.lastIndexOf('/**'))
  return /^\/\*\*[^]*\w[^]*\*\/\n$/.test(comment) && comment.indexOf('*/') === comment.length - 3
}

function namesIn(list: string): { local: string; name: string }[] {
  const entries = list.split(',').map((entry) => entry.trim().replace(/^type\s+/, ''))
  return entries.filter(Boolean).map((entry) => {
    const [local = '', name = local] = entry.split(/\s+as\s+/)
    return { local, name }
  })
}

function next(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}
