// docs/rules.md has a sentence for every rule that a comment, a title of a test or a page cites.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { citedIn } from './docs.ts'

const PAGE = 'docs/rules.md'
const page = readFileSync(PAGE, 'utf8')
const listed = [...page.matchAll(/^- \*\*([A-Z]{1,2}\d+)\*\* /gm)].map(([, rule]) => rule!)
const known = new Set(listed)

describe('the reader of citations', () => {
  test('finds rules in comments and titles', () => {
    expect(citedIn(`// (I1, P13–P15) and AB3:\ntest('V40 a namespace')`)).toEqual([
      'I1',
      'P13',
      'P15',
      'AB3',
      'V40',
    ])
  })

  test('leaves values alone', () => {
    expect(
      citedIn(`'%C3%A9', ['A12'], /[A-Z0-9]/, /22(?:021|P02)/, 2024-01-01T00:00Z, sec27`),
    ).toEqual([])
  })
})

const files = globSync(['{src,test,examples,bench,scripts}/**/*.ts', '*.md', 'docs/**/*.md'])

test('comments, titles and pages cite rules that the page has', () => {
  const cited = files
    .filter((file) => file !== PAGE)
    .flatMap((file) => citedIn(readFileSync(file, 'utf8')).map((rule) => ({ file, rule })))
  expect(cited.length).toBeGreaterThan(1000)
  expect(cited.filter(({ rule }) => !known.has(rule))).toEqual([])
})

/** The files of the repository that comments of a text name. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].flatMap(([line]) =>
    [...line.matchAll(/(?<![\w/.])(?:bench|docs|scripts|src|test)\/[\w./-]+\.(?:ts|md)\b/g)].map(
      ([path]) => path,
    ),
  )

test('a comment names no file that is not there', () => {
  expect(namedIn("// More: test/none.test.ts.\nopen('src/a.ts')")).toEqual(['test/none.test.ts'])
  const named = globSync('{src,test,bench,scripts,conformance}/**/*.ts').flatMap((file) =>
    namedIn(readFileSync(file, 'utf8')).map((path) => [file, path] as const),
  )
  expect(named.length).toBeGreaterThan(20)
  const examples = new Set(['src/app.ts', 'src/a.ts', 'bench/NAME.ts', 'bench/NAME/main.ts'])
  expect(named.filter(([, path]) => !existsSync(path) && !examples.has(path))).toEqual([])
})

test('the page has each rule once, in order of its letters', () => {
  expect(known.size).toBe(listed.length)
  const number = (rule: string): number => Number(rule.replace(/\D/g, ''))
  const letters = (rule: string): string => rule.replace(/\d/g, '')
  for (const [at, rule] of listed.entries()) {
    const before = listed[at - 1]
    if (before !== undefined && letters(before) === letters(rule)) {
      expect(number(before)).toBeLessThan(number(rule))
    }
  }
})

// All improvements are listed, built or not.
test('the page has only rules that are cited, beside the improvements', () => {
  const cited = new Set(
    files.filter((file) => file !== PAGE).flatMap((file) => citedIn(readFileSync(file, 'utf8'))),
  )
  expect(listed.filter((rule) => !cited.has(rule) && !/^I\d/.test(rule))).toEqual([])
})

// Readers of these pages, and of hints in an editor, do not have the list of rules.
test('pages about the use of the package cite no rules, but for the list of differences', () => {
  const others = ['docs/rules.md', 'docs/differences.md', ...globSync('docs/decisions/*.md')]
  const pages = globSync(['*.md', 'docs/**/*.md']).filter((file) => !others.includes(file))
  const citing = pages.filter((file) => citedIn(readFileSync(file, 'utf8')).length > 0)
  expect(citing.filter((file) => file !== 'CHANGELOG.md')).toEqual([])
})
