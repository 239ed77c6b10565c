import { expect, test } from 'vitest'
import { type MadeOnce, lazily, lazyMembers, oncePerRequest } from '../../../src/core/std/once.ts'

interface Asked extends MadeOnce {
  readonly user: string
}

function counted() {
  const asked: string[] = []
  const of = oncePerRequest(({ user }: Asked) => {
    asked.push(user)
    return { rowsOf: user }
  })
  return { asked, of }
}

test('what is made for a request is made once, whatever else is made for it', () => {
  const [rows, others] = [counted(), counted()]
  const request: Asked = { user: 'ada' }
  const made = rows.of(request)
  others.of(request)
  expect(rows.of(request)).toBe(made)
  expect([rows.asked, others.asked]).toEqual([['ada'], ['ada']])
})

test('a copy of a request, such as one for another user, has nothing of the first', () => {
  const { of } = counted()
  const request: Asked = { user: 'ada' }
  of(request)
  expect(of({ ...request, user: 'bob' })).toEqual({ rowsOf: 'bob' })
  expect(of(request)).toEqual({ rowsOf: 'ada' })
})

test('what is made while another is made is kept, too', () => {
  const inner = counted()
  const outer = oncePerRequest((request: Asked) => [inner.of(request)])
  const request: Asked = { user: 'ada' }
  outer(request)
  inner.of(request)
  expect(inner.asked).toEqual(['ada'])
})

test('what is made lazily is made when it is first asked for, and kept', () => {
  let times = 0
  const letters = lazily(() => ({ made: ++times }))
  expect(times).toBe(0)
  expect(letters()).toBe(letters())
  expect(times).toBe(1)
})

interface Parts {
  readonly ours: object
  readonly theirs: object
}

test('members are made one by one when they are first asked for, and one that fails is tried again', () => {
  const asked: string[] = []
  let isAway = true
  const made: Parts = lazyMembers<Parts>({
    ours(): object {
      asked.push('ours')
      return { theirs: made.theirs }
    },
    theirs(): object {
      asked.push('theirs')
      if (isAway) throw new Error('away')
      return {}
    },
  })
  expect(Object.keys(made)).toEqual(['ours', 'theirs'])
  expect(asked).toEqual([])
  expect(() => made.ours).toThrow('away')
  isAway = false
  expect(made.ours).toBe(made.ours)
  expect(asked).toEqual(['ours', 'theirs', 'ours', 'theirs'])
})
