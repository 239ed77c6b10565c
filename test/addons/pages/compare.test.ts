// How the lines of two texts are put side by side. In a page: test/addons/pages/around-the-answer.test.ts.
import { expect, test } from 'vitest'
import { sideBySide } from '../../../src/addons/pages/compare.ts'

test('a comma at the end of a line is no difference, and each side keeps its own', () => {
  expect(sideBySide(['{', 'a: 1', '}'], ['{', 'a: 1,', 'b: 2', '}'])).toEqual([
    { mark: 'same', left: '{', right: '{' },
    { mark: 'same', left: 'a: 1', right: 'a: 1,' },
    { mark: 'added', left: null, right: 'b: 2' },
    { mark: 'same', left: '}', right: '}' },
  ])
})

test('lines removed stand beside lines added in their place', () => {
  expect(sideBySide(['a', 'x', 'y', 'b'], ['a', 'z', 'b'])).toEqual([
    { mark: 'same', left: 'a', right: 'a' },
    { mark: 'changed', left: 'x', right: 'z' },
    { mark: 'removed', left: 'y', right: null },
    { mark: 'same', left: 'b', right: 'b' },
  ])
})
