// What the documents promise: blocks of code, and links.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** A fenced block of TypeScript: ```ts is compiled, ```ts run is also executed. */
export interface Block {
  readonly file: string
  /** Line of the fence, as editors count. */
  readonly line: number
  readonly code: string
  readonly runs: boolean
}

/** The pages a reader may open. */
export function pages(): string[] {
  return globSync(['*.md', 'docs/**/*.md']).map((file) => file.replaceAll('\\', '/'))
}

/** Every block of TypeScript in a page, in order. */
export function blocksOf(file: string, text: string): Block[] {
  return [...text.matchAll(fence)]
    .filter(({ groups }) => /^ts(?:$|\s)/.test(groups?.['info'] ?? ''))
    .map(({ index, groups }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      code: outdent(groups?.['code'] ?? '', groups?.['indent'] ?? ''),
      runs: /^ts\s+run\b/.test(groups?.['info'] ?? ''),
    }))
}

/** The links of a page that lead nowhere; `exists` and `read` look from the root. */
export function brokenLinks(file: string, text: string): string[] {
  const prose = text.replace(fence, '').replace(/`[^`\n]*`/g, '')
  const targets = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm),
  ]
  return targets
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target) && !resolves(file, target))
}

/** The pages that a source file sends its readers to, in comments and messages alike. */
export function linksToDocs(text: string): string[] {
  return [...text.matchAll(/\bdocs\/[\w/.-]+\.md(?:#[\w-]+)?/g)].map(([link]) => link)
}

/** Whether a link leads to a file, and to a heading in it where it names one. */
export function resolves(from: string, target: string): boolean {
  const [path = '', anchor] = decodeURIComponent(target).split('#')
  const file = path === '' ? from : posix.join(posix.dirname(from), path)
  const [found] = globSync(file.replace(/\/$/, ''))
  if (found === undefined) return false
  return anchor === undefined || anchorsOf(readFileSync(found, 'utf8')).includes(anchor)
}

/** The anchors of a page, made from its headings the way GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(fence, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

const fence =
  /^(?<indent>[ \t]*)(?<ticks>`{3,})(?<info>[^\n`]*)\n(?<code>[^]*?)^[ \t]*\k<ticks>[ \t]*$/gm

function outdent(code: string, indent: string): string {
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}
