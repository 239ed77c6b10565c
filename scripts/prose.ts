// `node scripts/prose.ts [PAGE…]`: checks the pages with rules of textlint. Every exception is here, with its reason.
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  TextlintKernel,
  type TextlintKernelPlugin,
  type TextlintKernelRule,
} from '@textlint/kernel'

const PAGES = ['*.md', 'docs/**/*.md', '{src,projects,create-colophon}/**/README.md']
/** Pages made from comments. */
const GENERATED = ['docs/reference/**', '**/node_modules/**']

/** Checks of `write-good` that are off. */
const WRITE_GOOD = {
  // The subject of a page is often passive: "a body is parsed" needs no "Colophon parses".
  passive: false,
  // "only" and "exactly" distinguish promises here.
  adverb: false,
  // "many" and "several" are enough if the number does not matter.
  weasel: false,
}

/** Complaints of `write-good` about words that are terms here, or have no shorter form: "all of them", "a number of seconds". */
const ACCEPTED = [
  /^"(?:it\s+(?:is|was)|all of|a number of|type of|however|therefore|maximum|minimum|request|delete|implement|obtain|in addition)"/i,
  // Only a sentence that begins with "So" is wrong, and not a word after code.
  /^"(?:so|\s?s)"/,
]

/** Words and sentences that this project avoids. */
const PATTERNS = [
  { message: 'Resolve the conflict of two changes', pattern: '/<{7}/' },
  {
    message: 'Name the concept: entry point, server, folder, framework, space',
    pattern: '/\\b(?:doors?|houses?|rooms?)\\b/i',
    // Links contain paths, such as test/house.
    allowNodeTypes: ['Link'],
  },
  {
    message: 'Name the person, or the part that does it',
    pattern: '/\\b(?:nobody|whoever|whomever|somebody|anybody|everybody)\\b/i',
  },
  { message: 'Call it a version', pattern: '/\\beditions?\\b/' },
  {
    message: 'Begin with the thing or the person, not with "What"',
    pattern: '/(?:^|[.:;]\\s+)What\\b[^?]*$/',
    // A heading or a cell of a table may name its subject in this way.
    allowNodeTypes: ['Header', 'Link', 'TableCell'],
  },
  {
    message: 'Say "is not a …", or "is not there"',
    pattern: '/(?<!there (?:would )?)\\b(?:is|are|was|were|be) none\\b(?! of)/i',
  },
]

const load = createRequire(import.meta.url)
const plugin = contentOf('@textlint/textlint-plugin-markdown') as TextlintKernelPlugin['plugin']
const rules = [
  ruleOf('textlint-rule-write-good', WRITE_GOOD),
  ruleOf('@textlint-rule/textlint-rule-pattern', { patterns: PATTERNS }),
  // A longer sentence should be two.
  ruleOf('textlint-rule-en-max-word-count', { max: 40 }),
]

function ruleOf(ruleId: string, options: object): TextlintKernelRule {
  return { ruleId, rule: contentOf(ruleId) as TextlintKernelRule['rule'], options: { ...options } }
}

/** Rules are CommonJS modules of two forms. */
function contentOf(name: string): unknown {
  const module = load(name) as { default?: unknown }
  return module.default ?? module
}

/** The complaints about a page with this text, each with its place. */
export async function complaintsAbout(page: string, text: string): Promise<string[]> {
  const { messages } = await new TextlintKernel().lintText(text, {
    ext: '.md',
    filePath: page,
    plugins: [{ pluginId: 'markdown', plugin }],
    rules,
  })
  return messages
    .filter(({ message }) => !ACCEPTED.some((accepted) => accepted.test(message)))
    .map(({ loc, message }) => `${page}:${loc.start.line}:${loc.start.column} ${message}`)
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  const pages = given.length > 0 ? given : globSync(PAGES, { exclude: GENERATED })
  const found = await Promise.all(
    pages.map((page) => complaintsAbout(page, readFileSync(page, 'utf8'))),
  )
  for (const each of found.flat()) console.error(each)
  process.exitCode = found.flat().length === 0 ? 0 : 1
}
