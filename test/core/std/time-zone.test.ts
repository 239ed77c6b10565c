import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TimeZone, isTimeZone } from '../../../src/core/std/time-zone.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
]
/** The years 1 to 9999. */
const instants = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((at) => at * 1000)
const recent = fc.integer({ min: 0, max: 4_000_000_000 }).map((at) => at * 1000)
const zones = fc.constantFrom(...ZONES)

/** What the clocks show, field by field, as if it were UTC. */
function clocks(name: string, instant: number): number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const parts = new Intl.DateTimeFormat('en-US', {
    ...numeric,
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
    hourCycle: 'h23',
    timeZone: name,
  }).formatToParts(instant)
  const of = (type: string): string => parts.find((part) => part.type === type)!.value
  const year = of('era').startsWith('B') ? 1 - Number(of('year')) : Number(of('year'))
  const date = new Date(0)
  date.setUTCFullYear(year, Number(of('month')) - 1, Number(of('day')))
  date.setUTCHours(Number(of('hour')), Number(of('minute')), Number(of('second')))
  return date.getTime()
}

describe('a zone', () => {
  test('is as far ahead as the clocks of Intl', () => {
    fc.assert(
      fc.property(zones, fc.oneof(recent, instants), (name, instant) => {
        expect(instant + new TimeZone(name).offsetAt(instant)).toBe(clocks(name, instant))
      }),
      { numRuns: 300 },
    )
  })

  test('remembers days without losing the hour of a change', () => {
    const berlin = new TimeZone('Europe/Berlin')
    const change = Date.UTC(2024, 2, 31, 1)
    for (let at = change - 86_400_000; at < change + 86_400_000; at += 900_000)
      expect(berlin.offsetAt(at)).toBe(at < change ? 3_600_000 : 7_200_000)
  })

  test('finds every instant at which the clocks show a time', () => {
    fc.assert(
      fc.property(zones, recent, (name, some) => {
        // By then every clock is put forward or back at a quarter of an hour.
        const local = Math.floor((1e12 + some / 4) / 900_000) * 900_000
        const zone = new TimeZone(name)
        const wanted: number[] = []
        for (let at = local - 86_400_000; at <= local + 86_400_000; at += 900_000)
          if (clocks(name, at) === local) wanted.push(at)
        expect(zone.instantsOf(local).toSorted((a, b) => a - b)).toEqual(wanted)
      }),
      { numRuns: 20 },
    )
  })

  test('skips an hour, and shows one twice', () => {
    const berlin = new TimeZone('Europe/Berlin')
    expect(berlin.instantsOf(Date.UTC(2024, 2, 31, 2, 30))).toEqual([])
    expect(berlin.instantsOf(Date.UTC(2024, 9, 27, 2, 30))).toHaveLength(2)
    expect(berlin.instantsOf(Date.UTC(2024, 9, 27, 3, 0))).toHaveLength(1)
    // A whole day that this place never had.
    expect(new TimeZone('Pacific/Apia').instantsOf(Date.UTC(2011, 11, 30, 12))).toEqual([])
  })
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Europe/Atlantis', false],
  ['', false],
])('%j is a zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})
