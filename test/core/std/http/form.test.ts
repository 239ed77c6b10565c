import { describe, expect, test } from 'vitest'
import { Form } from '../../../../src/core/std/http/form.ts'

describe('taking a value out of a form', () => {
  test('gives the last one, and everybody else finds none', () => {
    const form = new Form([
      ['a', '1'],
      ['token', 'x'],
      ['token', 'y'],
    ])
    expect(form.take('token')).toBe('y')
    expect(form.get('token')).toBeNull()
    expect(form.getAll('token')).toEqual([])
    expect(form.names()).toEqual(['a'])
    expect({ ...form.toObject() }).toEqual({ a: '1' })
  })

  test('gives the same again', () => {
    const form = new Form([['token', 'x']])
    form.take('token')
    expect(form.take('token')).toBe('x')
  })

  test('of a name that is not there gives nothing, and changes nothing', () => {
    const form = new Form([['a', '1']])
    expect(form.take('token')).toBeNull()
    expect(form.names()).toEqual(['a'])
  })
})
