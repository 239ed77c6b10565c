// The promises of the documents: blocks of code, and links.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** A block of TypeScript: ```ts is compiled, ```ts run is also executed, and ```ts app.ts is a file of a session. */
export interface Block {
  readonly file: string
  /** The line of the fence, as editors count. */
  readonly line: number
  readonly code: string
  readonly runs: boolean
  /** The files that a reader has by then, by their paths; this one is the last. */
  readonly stage?: Readonly<Record<string, string>>
}

/** A step of a reader: writes a file, or types commands (`path` is null). */
export interface Step {
  readonly line: number
  readonly path: string | null
  readonly text: string
}

/** The pages a reader may open. */
export function pages(): string[] {
  return globSync(['*.md', 'docs/**/*.md']).map((file) => file.replaceAll('\\', '/'))
}

/** The pages of the tutorial are followed one after the other, in one folder. */
const TUTORIAL = 'docs/tutorial/'

/** The steps that a reader of a page has already taken: those of the earlier pages of a tutorial. */
export function stepsBefore(file: string, read: (file: string) => string): Step[] {
  if (!file.startsWith(TUTORIAL)) return []
  const earlier = pages().filter((page) => page.startsWith(TUTORIAL) && page < file)
  return earlier
    .toSorted()
    .flatMap((page) => stepsOf(read(page)).map((step) => ({ ...step, line: 0 })))
}

/** Every block of TypeScript in a page, in order; `before`: the steps that its reader has taken. */
export function blocksOf(file: string, text: string, before: readonly Step[] = []): Block[] {
  const steps = [...before, ...stepsOf(text)]
  return fencesOf(text)
    .filter(({ info }) => /^ts(?:$|\s)/.test(info))
    .map(({ line, info, code }) => {
      const block = { file, line, code, runs: /^ts\s+run\b/.test(info) }
      const own = pathIn(info)
      if (own === null) return block
      const files = steps.filter((step) => step.path !== null && step.line < line)
      const others = files.filter(({ path }) => path !== own).map((step) => [step.path, step.text])
      return { ...block, stage: Object.fromEntries([...others, [own, code]]) }
    })
}

/** The steps of a page that names files to write (```ts app.ts): these, and its ```sh. Other pages have none. */
export function stepsOf(text: string): Step[] {
  const steps = fencesOf(text).flatMap(({ line, info, code }): Step[] => {
    const path = pathIn(info)
    return path !== null || info === 'sh' ? [{ line, path, text: code }] : []
  })
  return steps.some(({ path }) => path !== null) ? steps : []
}

/** `ts src/app.ts` → `src/app.ts`. */
function pathIn(info: string): string | null {
  return /^\w+ ((?:[\w.-]+\/)*[\w.-]*(?:\.\w+|file))$/.exec(info)?.[1] ?? null
}

function fencesOf(text: string): { line: number; info: string; code: string }[] {
  return [...text.matchAll(fence)].map(({ index, groups }) => ({
    line: text.slice(0, index).split('\n').length,
    info: groups?.['info']?.trim() ?? '',
    code: outdent(groups?.['code'] ?? '', groups?.['indent'] ?? ''),
  }))
}

/** The broken links of a page; `exists` and `read` look from the root. */
export function brokenLinks(file: string, text: string): string[] {
  const prose = text.replace(fence, '').replace(/`[^`\n]*`/g, '')
  const targets = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm),
  ]
  const anchors: Anchors = new Map()
  return targets
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target) && !resolves(file, target, anchors))
}

/** The pages that comments and messages of a source file name. */
export function linksToDocs(text: string): string[] {
  return [...text.matchAll(/\bdocs\/[\w/.-]+\.md(?:#[\w-]+)?/g)].map(([link]) => link)
}

/** The anchors of each file, because a page has hundreds of links to the same files. */
type Anchors = Map<string, ReadonlySet<string>>

/** Does a link lead to a file, and to the heading that it names? */
export function resolves(from: string, target: string, known: Anchors = new Map()): boolean {
  const [path = '', anchor] = decodeURIComponent(target).split('#')
  const file = path === '' ? from : posix.join(posix.dirname(from), path)
  const [found] = known.has(file) ? [file] : globSync(file.replace(/\/$/, ''))
  if (found === undefined) return false
  if (anchor === undefined) return true
  const anchors = known.get(file) ?? anchorsOf(readFileSync(found, 'utf8'))
  known.set(file, anchors)
  return anchors.has(anchor)
}

/** The anchors of a page, made from its headings the way GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(fence, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

const fence =
  /^(?<indent>[ \t]*)(?<ticks>`{3,})(?<info>[^\n`]*)\n(?<code>[^]*?)^[ \t]*\k<ticks>[ \t]*$/gm

function outdent(code: string, indent: string): string {
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

/** Cited rules: `I1`, `(P13, P14)`, `V3–V5`, `V3's`; not `%C3`, `'A12'`, `0-9A-F0` or `/a|B02/`. */
const citation = /(?<![\w%\\.:/#+|-])(?:AB|AT|RU|[A-Z])\d{1,2}(?!:\d|[\w%"`/$]|'(?!s\b))/g
export function citedIn(text: string): string[] {
  return [...text.matchAll(citation)].map(([rule]) => rule)
}
