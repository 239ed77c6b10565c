import { describe, expect, test } from 'vitest'
import { compareDocuments } from '../../src/changes/documents.ts'
import { type LabelledChange, corpus } from './corpus.ts'

const all = corpus()

function found({ before, after }: LabelledChange): readonly string[] {
  const labels = compareDocuments(before, after).map((each) => `${each.class} ${each.code}`)
  return [...new Set(labels)].toSorted()
}

describe('every change is found, and called what people call it', () => {
  test.each(all.map((each) => [each.title, each] as const))('%s', (_, change) => {
    expect(found(change)).toEqual([...new Set(change.expected)].toSorted())
  })
})

test('all that breaks is found, and at least 95 of a hundred that are called breaking break', () => {
  const breaking = (labels: readonly string[]): readonly string[] =>
    labels.filter((label) => label.startsWith('breaking '))
  const judged = all.map((each) => ({
    wanted: breaking(each.expected),
    got: breaking(found(each)),
  }))
  const missed = judged.filter(({ wanted, got }) => wanted.some((label) => !got.includes(label)))
  const right = judged.flatMap(({ wanted, got }) => got.filter((label) => wanted.includes(label)))
  const called = judged.flatMap(({ got }) => got)
  expect(missed).toEqual([])
  expect(right.length / called.length).toBeGreaterThanOrEqual(0.95)
  expect(called.length).toBeGreaterThan(100)
})

test('the corpus has changes of every kind, each once', () => {
  const titles = all.map(({ title }) => title)
  expect(titles.length).toBeGreaterThanOrEqual(80)
  expect(new Set(titles).size).toBe(titles.length)
})
