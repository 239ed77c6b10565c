// The table of codes in docs/contract.md: the words are those of the program, and whom a change breaks is what reviewers
// said of the changes of the corpus.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { OPERATION_CODES, SCHEMA_CODES, changeOf } from '../../../src/addons/gate/change.ts'
import { breakingIn, changelogOf, changesOf, entriesOf } from '../../../src/addons/gate/contract.ts'
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

describe('a version that is gone', () => {
  const now = new Date('2030-01-01T00:00:00Z')
  const ending = (version: string, sunsetAt: unknown) => [null, 7, { version, sunsetAt }]
  test.each([
    ['v1', ending('v1', '2030-01-01T00:00:00Z'), 'version-retired'],
    ['v1', ending('v1', '2030-01-01T00:00:00.001Z'), 'version-removed'],
    ['v1', ending('v1', 7), 'version-removed'],
    ['v1', ending('v2', '2020-01-01'), 'version-removed'],
    ['v1', 7, 'version-removed'],
    ['', ending('', '2020-01-01'), 'version-retired'],
    ['', undefined, 'version-removed'],
  ])('%j with the lives %j: %s', (version, lives, code) => {
    const saved = new Map([[version, { ...documentOf({}), 'x-versions': lives }]])
    const [found, ...others] = changesOf(saved, new Map(), now)
    const at = version === '' ? 'service' : `version ${version}`
    expect(others).toEqual([])
    expect(found).toEqual({
      version,
      living: code === 'version-removed',
      changes: [changeOf(code, at)],
    })
    expect(breakingIn(found!)).toEqual(code === 'version-removed' ? found!.changes : [])
  })
})

test('versions are compared by their names, and one that has ended may break', () => {
  const now = new Date('2030-01-01')
  const version = (sunsetAt: string, paths = {}) => ({
    ...documentOf(paths),
    'x-versions': [{ version: 'v1', sunsetAt }],
  })
  const path = { '/a/': { get: {} } }
  const [saved, running] = [new Map(), new Map()]
  saved.set('v1', version('2029-01-01', path)).set('v2', documentOf(path))
  running.set('v1', version('2029-01-01')).set('v2', documentOf(path)).set('v3', documentOf({}))
  const found = changesOf(saved, running, now)
  const codes = found.map((each) => [
    each.version,
    each.living,
    each.changes.map(({ code }) => code),
  ])
  expect(codes).toEqual([
    ['v1', false, ['operation-removed']],
    ['v2', true, []],
    ['v3', true, ['version-added']],
  ])
  expect(found.flatMap(breakingIn)).toEqual([])
})

describe('the log', () => {
  const [gone, added, words] = [
    changeOf('operation-removed', 'GET /a/'),
    changeOf('operation-added', 'GET /b/'),
    changeOf('operation-id-changed', 'GET /c/', { was: 'a', is: ['b', 7] }),
  ]
  const all = [
    { version: 'v1', living: true, changes: [gone, added, words] },
    { version: '', living: false, changes: [gone] },
  ]
  const entries = (day: string, reason: string | null) => entriesOf(all, new Date(day), reason)

  test('has a line for each change but those of words, and the reason of what breaks', () => {
    const line = ({ code, at, sentence, class: kind }: typeof gone, version: string) => ({
      date: '2030-01-02',
      version,
      class: kind,
      code,
      at,
      sentence,
    })
    const bare = [line(gone, 'v1'), line(added, 'v1'), line(gone, '')]
    expect(entries('2030-01-02T23:59:59Z', null)).toStrictEqual(bare)
    const [first, ...others] = bare
    expect(entries('2030-01-02', 'Why')).toStrictEqual([{ ...first, reason: 'Why' }, ...others])
  })

  test('is Markdown by day, the newest first, and version', () => {
    const breaks = `- **Breaking:** \`GET /a/\`: ${gone.sentence}`
    const adds = `- \`GET /b/\`: ${added.sentence}`
    const days = ['2030-01-01', '2030-01-03', '2030-01-02'].map((day) => entries(day, null))
    const parts = (day: string) => [`## ${day}`, '### v1', `${breaks}\n${adds}`, breaks]
    expect(changelogOf(days.flat())).toBe(
      [
        '# Changelog of the API',
        ...['03', '02', '01'].flatMap((day) => parts(`2030-01-${day}`)),
      ].join('\n\n'),
    )
    expect(changelogOf(entries('2030-01-01', 'Why'))).toContain(`${breaks} Accepted: Why\n`)
    expect(changelogOf([])).toBe('# Changelog of the API\n\nNothing has changed.')
  })

  test('a sentence says what was and what is, and whom it breaks', () => {
    expect(words.sentence).toBe('The name in generated clients was a and is b, 7.')
    expect(changeOf('parameter-deprecated', '').sentence).toBe('The parameter is deprecated.')
    const whom = (code: string) => changeOf(code, '', { class: 'breaking' }).sentence.split('. ')[1]
    expect(['response-status-removed', 'response-header-removed'].map(whom)).toEqual(
      Array(2).fill('Clients that read it as it was fail, or misread it.'),
    )
    expect(['request-body-removed', 'parameter-removed'].map(whom)).toEqual(
      Array(2).fill('Requests that were right are refused, or mean something else.'),
    )
    expect(['operation-removed', 'server-removed'].map(whom)).toEqual(
      Array(2).fill('Requests that were right are no longer answered as they were.'),
    )
    expect(() => changeOf('request-nothing', '')).toThrow(
      'There is no sentence for the code request-nothing.',
    )
  })

  test('what breaks has its advice, and nothing else has one', () => {
    expect(gone.advice).toContain('Keep it until this version has ended')
    expect(added).not.toHaveProperty('advice')
    const field = (code: string) => changeOf(code, '', { class: 'breaking' }).advice
    expect(field('response-property-removed')).toContain('`until` and `since` of the field')
    expect(field('parameter-default-changed')).toContain('Leave it in this version')
    expect(field('version-removed')).toContain('Announce its end')
    expect(field('sunset-earlier')).toContain('Keep what was announced')
  })
})
