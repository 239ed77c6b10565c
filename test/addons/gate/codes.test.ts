// The table of codes in docs/contract.md: the words are those of the program, and whom a change breaks is what reviewers
// said of the changes of the corpus.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OPERATION_CODES, SCHEMA_CODES } from '../../../src/addons/gate/change.ts'
import { changesOf } from '../../../src/addons/gate/contract.ts'
import { corpus } from './corpus.ts'
import { documentOf } from './documents.ts'

/** The classes that each code has had, in the order in which pages have them. */
const classes = classesIn([...corpus().flatMap(({ expected }) => expected), ...ofVersions()])

function classesIn(labels: readonly string[]): (...codes: readonly string[]) => string {
  const pairs = labels.map((label) => label.split(' ') as [kind: string, code: string])
  return (...codes) => {
    const found = ['breaking', 'compatible', 'documentation'].filter((kind) =>
      pairs.some((pair) => pair[0] === kind && codes.includes(pair[1])),
    )
    return found.join(' or ') || '–'
  }
}

/** Those of whole versions, of which the corpus has none. */
function ofVersions(): readonly string[] {
  const version = (sunsetAt: string) =>
    new Map([['v1', { ...documentOf({}), 'x-versions': [{ version: 'v1', sunsetAt }] }]])
  const none = new Map<string, object>() as ReturnType<typeof version>
  const now = new Date('2030-01-01')
  const found = [
    changesOf(none, version('2031-01-01'), now),
    changesOf(version('2031-01-01'), none, now),
    changesOf(version('2029-01-01'), none, now),
  ]
  return found.flat().flatMap(({ changes }) => changes.map((each) => `${each.class} ${each.code}`))
}

/** What a code says, whatever the values are. */
const meaning = (what: (was: string, is: string) => string): string =>
  what('…', '…').replaceAll('|', '\\|')

const SENT = ['request-', 'parameter-']
const GOT = ['response-', 'response-header-']
const ofSchemas = Object.entries(SCHEMA_CODES).map(([code, { what }]) => [
  `\`${code}\``,
  meaning(what),
  classes(...SENT.map((prefix) => prefix + code)),
  classes(...GOT.map((prefix) => prefix + code)),
])
const ofOthers = Object.entries(OPERATION_CODES).map(([code, { what }]) => [
  `\`${code}\``,
  meaning(what),
  classes(code),
])

/** The rows of the table under a heading of the page. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync('docs/contract.md', 'utf8').split(`\n${heading}\n`)
  const [table = ''] = /^\|(?:.*\n\|)*.*$/m.exec(section) ?? []
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| | +\|$/g, '').trim()))
}

test('the page has every code of a value, with its words, and whom it breaks', () => {
  expect(rowsUnder('### Of values')).toEqual(ofSchemas)
})

test('the page has every other code', () => {
  expect(rowsUnder('### Of operations and versions')).toEqual(ofOthers)
})

test('every code has a change in the corpus', () => {
  // The other direction does not know a property that only one of them has.
  const oneSided = ofSchemas.filter((row) => row.includes('–')).map(([code]) => code)
  expect(oneSided).toEqual([
    '`property-became-read-only`',
    '`property-became-write-only`',
    '`required-property-added`',
  ])
  expect(ofOthers.filter((row) => row.includes('–'))).toEqual([])
})
