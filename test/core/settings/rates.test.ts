import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  type Settings,
  UserRateThrottle,
  configurationOf,
  defineApi,
  readConfiguration,
} from '../../../src/index.ts'
import { rateProblem, readRate } from '../../../src/core/settings/rates.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

describe('T8 rates that are understood', () => {
  test.each<[text: string, limit: number, seconds: number]>([
    ['5/s', 5, 1],
    ['5/sec', 5, 1],
    ['5/second', 5, 1],
    ['5/seconds', 5, 1],
    ['5/m', 5, MINUTE],
    ['5/min', 5, MINUTE],
    ['5/minute', 5, MINUTE],
    ['5/minutes', 5, MINUTE],
    ['5/h', 5, HOUR],
    ['5/hr', 5, HOUR],
    ['5/hour', 5, HOUR],
    ['5/hours', 5, HOUR],
    ['5/d', 5, DAY],
    ['5/day', 5, DAY],
    ['5/days', 5, DAY],
    ['0/s', 0, 1],
    ['1000000/s', 1_000_000, 1],
    ['20/5m', 20, 5 * MINUTE],
    ['5/10min', 5, 10 * MINUTE],
    ['5/2hours', 5, 2 * HOUR],
    ['1/30d', 1, 30 * DAY],
    ['5/366d', 5, 366 * DAY],
    ['1/31622400s', 1, 366 * DAY],
    ['  5/m', 5, MINUTE],
    [' 5 /m', 5, MINUTE],
    ['005/m', 5, MINUTE],
  ])('%j', (text, limit, seconds) => {
    expect(readRate(text)).toEqual({ limit, seconds })
  })
})

const RIGHT_FORM =
  ': write a whole number, a slash and a period in s, m, h or d, such as "5/min", "20/5m" or "1000/day".'

const noRates = [
  ['', '5', '/m', '5/', '/', '5//m', '5/m/', 'm/5', '5-m', '5\\m', '5:m', '5 per m', '5/per m'],
  ['five/m', '5.0/m', '5.5/m', '.5/m', '-5/m', '+5/m', '5e3/m', '0x5/m', '٥/m', '５/m'],
  ['5,000/m', '1_000/m', '5/ m', '5 / m', '5/m ', '\t5/m', '5/m\n', '5\u00a0/m', '5/m\0', '5\n/m'],
  ['5/0m', '5/05m', '5/-1m', '5/1.5m', '5/min.', '5/m,', '10/m,20/h', '10/m 20/h', '5/__proto__'],
  ['null', '5/µs', '5/m1', 'unlimited'],
].flat()

describe('T8 rates that are refused', () => {
  test.each(noRates)('%j is none', (text) => {
    expect(readRate(text)).toBe(`${JSON.stringify(text)} is no rate${RIGHT_FORM}`)
  })

  const unknown = (unit: string, near?: string) =>
    `has the period "${unit}", which is not known${near ? ` (did you mean "${near}"?)` : ''}`

  test.each<[text: string, problem: string]>([
    ['5/Min', unknown('Min', 'min')],
    ['5/MIN', unknown('MIN', 'min')],
    ['5/M', unknown('M', 'm')],
    ['5/D', unknown('D', 'd')],
    ['5/mins', unknown('mins', 'min')],
    ['5/minuts', unknown('minuts', 'minute')],
    ['5/secs', unknown('secs', 'sec')],
    ['5/2hors', unknown('hors', 'hours')],
    ['5/dayz', unknown('dayz', 'day')],
    ['5/x', unknown('x')],
    ['5/fortnight', unknown('fortnight')],
    ['5/constructor', unknown('constructor')],
    ['5/toString', unknown('toString')],
    ['5/month', 'has the period "month", which has no fixed length (write "30d")'],
    ['5/mon', 'has the period "mon", which has no fixed length (write "30d")'],
    ['5/2Months', 'has the period "Months", which has no fixed length (write "30d")'],
    ['5/w', 'has the period "w", which is not known (write "7d")'],
    ['5/week', 'has the period "week", which is not known (write "7d")'],
    ['5/y', 'has the period "y", which has no fixed length (write "365d")'],
    ['5/year', 'has the period "year", which has no fixed length (write "365d")'],
    ['5/ms', 'has the period "ms", which is too short (a second is the shortest)'],
    ['5/100millis', 'has the period "millis", which is too short (a second is the shortest)'],
    ['1000001/s', 'allows more than 1000000 requests'],
    ['99999999999999999999/s', 'allows more than 1000000 requests'],
    ['5/367d', 'is longer than 366 days'],
    ['5/31622401s', 'is longer than 366 days'],
    ['5/99999999999999999999d', 'is longer than 366 days'],
    ['1000000/366d', 'is too much to be counted exactly'],
  ])('%j %s', (text, problem) => {
    expect(readRate(text)).toBe(`${JSON.stringify(text)} ${problem}${RIGHT_FORM}`)
  })

  test.each([[[]], [['5/m', '6/m']], [['5/m', '6/60s']], [['1/d', '5/m', '6/24h']]])(
    '%j limits a period twice, or none',
    (rates) => {
      expect(rateProblem(rates)).toBe(
        `${JSON.stringify(rates)} has to limit each period once, and one at least.`,
      )
    },
  )

  test('of a list each is read', () => {
    expect(rateProblem(['5/m', '100/h', '1000/30d'])).toBeNull()
    expect(rateProblem(['5/m', '100/hrs'])).toMatch(/^"100\/hrs" has the period "hrs"/)
  })
})

describe('wherever a rate stands, a wrong one does not start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-rates-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const start = (layer: Partial<Settings>, configuration = configurationOf()) => {
    const api = defineApi({ urls: { one: '/one/' }, throttles: [new UserRateThrottle()], ...layer })
    return api.serve([api.endpoint('one').get(() => 1)], { configuration })
  }
  const wrong = { anon: null, user: '5/Min' }
  const problem = `of the scope "user": "5/Min" has the period "Min", which is not known (did you mean "min"?)${RIGHT_FORM}`

  const refusal = (attempt: () => unknown): string => {
    try {
      attempt()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      return (error as Error).message
    }
    return 'it starts'
  }

  test('in code: it names the layer, the setting and the scope', () => {
    const message = refusal(() => start({ throttleRates: wrong }))
    expect(message).toMatch(/^api/)
    expect(message).toContain('throttleRates')
    expect(message.endsWith(problem)).toBe(true)
  })

  test('of an endpoint: it names the endpoint', () => {
    const api = defineApi({ urls: { one: '/one/' } })
    const message = refusal(() =>
      api.serve([api.endpoint('one', { throttleRates: wrong }).get(() => 1)], {
        configuration: configurationOf(),
      }),
    )
    expect(message).toMatch(/^endpoint one/)
    expect(message.endsWith(problem)).toBe(true)
  })

  test.each<[source: string, read: () => ReturnType<typeof readConfiguration>]>([
    [
      'colophon.json',
      () => {
        writeFileSync(
          join(folder, 'colophon.json'),
          JSON.stringify({ DEFAULT_THROTTLE_RATES: wrong }),
        )
        return readConfiguration({ cwd: folder, env: {} })
      },
    ],
    [
      'environment',
      () => {
        const env = { COLOPHON_DEFAULT_THROTTLE_RATES: JSON.stringify(wrong) }
        return readConfiguration({ cwd: tmpdir(), env })
      },
    ],
  ])('in the %s: it names the key and the scope', (source, read) => {
    const message = refusal(() => start({}, read()))
    expect(message).toMatch(new RegExp(`^DEFAULT_THROTTLE_RATES \\(${source}\\)`))
    expect(message.endsWith(problem)).toBe(true)
  })

  test('of a throttle: it names the class', () => {
    const message = refusal(() => new UserRateThrottle({ rate: ['5/m', '5/month'] }))
    expect(message).toBe(
      `UserRateThrottle: "rate" "5/month" has the period "month", which has no fixed length (write "30d")${RIGHT_FORM}`,
    )
  })

  test('a scope without a rate', () => {
    const message = refusal(() => start({ throttles: [new UserRateThrottle({ scope: 'burst' })] }))
    expect(message).toMatch(/one.*burst.*DEFAULT_THROTTLE_RATES.*null for no limit\.$/s)
  })

  test('a rate that a throttle cannot count is named with its scope', () => {
    const message = refusal(() => start({ throttleRates: { user: '100000/min' } }))
    expect(message).toMatch(
      / has a wrong rate of "user" in DEFAULT_THROTTLE_RATES: "100000\/min" keeps/,
    )
  })

  test.each([5, true, ['5/m', 5], { rate: '5/m' }, ''])('%j is not even a text', (rate) => {
    const throttleRates = { user: rate } as unknown as Settings['throttleRates']
    const message = refusal(() => start({ throttleRates }))
    expect(message).toContain('must be an object with a rate such as "5/min" for each scope')
  })

  test('a rate that keeps too many moments: it names the other algorithm', () => {
    const message = refusal(() => start({ throttleRates: { user: '10001/h' } }))
    expect(message).toMatch(/one.*"10001\/h".*say algorithm "gcra"/s)
    expect(refusal(() => start({ throttleRates: { user: '10000/h' } }))).toBe('it starts')
  })
})
