import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readInteger } from '../../../src/policies/pagination/page-number.ts'
import { expectLinear } from '../../setup/linear.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

describe('P12 whole numbers', () => {
  test.each<[text: string | null, number: number | null]>([
    ['0', 0],
    ['7', 7],
    ['007', 7],
    ['+7', 7],
    ['-7', -7],
    [' 7 ', 7],
    ['\t7\n', 7],
    ['\u00a07', 7],
    ['9007199254740991', LARGEST],
    ['9007199254740992', LARGEST],
    ['-9007199254740992', -LARGEST],
    ['9223372036854775808', LARGEST],
    ['9'.repeat(4300), LARGEST],
    ['9'.repeat(4301), null],
    [`${'0'.repeat(4299)}7`, 7],
    [null, null],
    ['', null],
    [' ', null],
    ['+', null],
    ['--7', null],
    ['- 7', null],
    ['7 7', null],
    ['7.0', null],
    ['7.', null],
    ['1e3', null],
    ['0x7', null],
    ['7n', null],
    ['1_0', null],
    ['1,000', null],
    ['٧', null],
    ['７', null],
    ['seven', null],
    ['NaN', null],
    ['Infinity', null],
    ['7\0', null],
  ])('%j is %s', (text, number) => {
    expect(readInteger(text)).toBe(number)
  })

  test('zero has no sign', () => {
    expect(Object.is(readInteger('-0'), 0)).toBe(true)
  })

  test('every safe integer is read as itself', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(readInteger(String(number))).toBe(number)
      }),
    )
  })

  test.each([
    ['', ' ', ''],
    ['', ' ', 'x'],
    ['7', ' ', 'x'],
    ['', '7', ''],
  ])('long nonsense costs what its length costs: "%s%s…%s"', async (before, unit, after) => {
    const read = (size: number) => readInteger(before + unit.repeat(size) + after)
    expect(read(100_000)).toBeNull()
    await expectLinear(read, { size: 12_500 })
  })
})
