import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { helpOn, helpTexts, withHelp } from '../../scripts/command-line.ts'

const page = readFileSync('docs/command-line.md', 'utf8')

test('docs/command-line.md has the help of every command, as it is', () => {
  const helps = helpTexts()
  const leaves = [...helps.keys()].filter(
    (name) => name === '' || ![...helps.keys()].some((other) => other.startsWith(`${name} `)),
  )
  expect(leaves.length).toBeGreaterThan(15)
  expect([...helpOn(page)].toSorted()).toEqual(leaves.toSorted())
  expect(withHelp(page, helps)).toBe(page)
})

test('short sentences: descriptions of commands have 240 characters at most', () => {
  const descriptions = [...helpTexts().values()].map((help) =>
    help.split('\n\n')[1]!.replaceAll(/\s+/g, ' '),
  )
  expect(descriptions.filter((text) => text.length > 240 || !text.endsWith('.'))).toEqual([])
})
