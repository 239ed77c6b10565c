// Forms and zones of points in time, days and durations.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyField } from '../../../../src/resources/serializers/declaration.ts'
import { field, serializer } from '../../../../src/index.ts'
import { withExactText } from '../../../../src/core/std/exact-date.ts'
import { given, request, requestWith, shown } from '../reading.ts'

const berlin = field.dateTime({ zone: 'Europe/Berlin', naive: 'zone' })

describe('a point in time', () => {
  test.each<[kind: AnyField, value: unknown, expected: unknown]>([
    [berlin, '2024-01-25T16:00:00Z', '2024-01-25T17:00:00+01:00'],
    [berlin, '2024-07-25T16:00:00.000123Z', '2024-07-25T18:00:00.000123+02:00'],
    [berlin, new Date('2024-12-31T23:30:00Z'), '2025-01-01T00:30:00+01:00'],
    [berlin, 0, '1970-01-01T01:00:00+01:00'],
    // Local mean time has seconds, which no offset of ISO 8601 has.
    [berlin, '1880-01-01T00:00:00Z', '1880-01-01T00:00:00Z'],
    [berlin, '9999-12-31T23:30:00Z', '9999-12-31T23:30:00Z'],
    [berlin, 'abc', null],
    [field.dateTime({ zone: 'UTC' }), 0, '1970-01-01T00:00:00Z'],
    [field.dateTime({ zone: 'America/St_Johns' }), 0, '1969-12-31T20:30:00-03:30'],
    [field.dateTime({ format: 'unix' }), '2024-01-25T16:00:00.123456Z', 1_706_198_400.123456],
    [field.dateTime({ format: 'unix' }), '1969-12-31T23:59:58Z', -2],
    [field.dateTime({ format: 'milliseconds' }), '2024-01-25T16:00:00.123999Z', 1_706_198_400_123],
    [field.date({ zone: 'Europe/Berlin' }), new Date('2024-12-31T23:30:00Z'), '2025-01-01'],
    [field.date({ zone: 'Europe/Berlin' }), '2024-12-31', '2024-12-31'],
    [field.date(), new Date('2024-12-31T23:30:00Z'), '2024-12-31'],
  ])('%# of a row', (kind, value, expected) => {
    expect(shown(kind, value)).toEqual(expected)
  })

  test('has six digits of a second, or none, in every year that has four digits', () => {
    const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map((text) =>
      Date.parse(text),
    )
    fc.assert(
      fc.property(fc.integer({ min: first!, max: last! }), fc.boolean(), (time, isWhole) => {
        const moment = new Date(isWhole ? Math.trunc(time / 1000) * 1000 : time)
        const [seconds, digits] = moment.toISOString().slice(0, -1).split('.')
        const expected = digits === '000' ? `${seconds}Z` : `${seconds}.${digits}000Z`
        expect(shown(field.dateTime(), moment)).toBe(expected)
        expect(shown(field.dateTime(), moment.getTime())).toBe(expected)
      }),
    )
  })

  const exact = (text: string): Date => withExactText(new Date('2024-01-25T16:00:00.123Z'), text)
  const changed = exact('2024-01-25 16:00:00.123456+00')
  changed.setUTCDate(26)

  test.each<[kind: AnyField, value: unknown, expected: unknown]>([
    [field.dateTime(), exact('2024-01-25 16:00:00.123456+00'), '2024-01-25T16:00:00.123456Z'],
    [field.dateTime(), exact('2024-01-25 16:00:00.1234'), '2024-01-25T16:00:00.123400Z'],
    [field.dateTime(), exact('2024-01-25T16:00:00.123456Z'), '2024-01-25T16:00:00.123456Z'],
    [berlin, exact('2024-01-25 16:00:00.123456+00'), '2024-01-25T17:00:00.123456+01:00'],
    [field.dateTime(), exact('2024-01-25 18:00:00.123456+02'), '2024-01-25T16:00:00.123000Z'],
    [field.dateTime(), exact('25 January'), '2024-01-25T16:00:00.123000Z'],
    [field.dateTime(), changed, '2024-01-26T16:00:00.123000Z'],
    [field.date(), exact('2024-01-25 16:00:00.123456+00'), '2024-01-25'],
  ])('%# as a database wrote it', (kind, value, expected) => {
    expect(shown(kind, value)).toBe(expected)
  })

  test('is the same Date with its exact text', () => {
    const date = exact('2024-01-25 16:00:00.123456+00')
    expect(date).toStrictEqual(new Date('2024-01-25T16:00:00.123Z'))
    expect(withExactText(date, '2024-01-25 16:00:00.123457+00')).toBe(date)
    expect(shown(field.dateTime(), date)).toBe('2024-01-25T16:00:00.123457Z')
  })

  test.each<[kind: AnyField, value: unknown, expected: unknown]>([
    [berlin, '2024-01-25T17:00:00', '2024-01-25T16:00:00Z'],
    [berlin, '2024-07-25 18:00:00.5', '2024-07-25T16:00:00.500000Z'],
    [berlin, '2024-07-25T18:00:00Z', '2024-07-25T18:00:00Z'],
    [berlin, '2024-03-31T02:30:00', { codes: ['make_aware'] }],
    [berlin, '2024-10-27T02:30:00', { codes: ['make_aware'] }],
    [berlin, '2024-10-27T02:30:00+02:00', '2024-10-27T00:30:00Z'],
    [berlin, '0001-01-01T00:00:00', { codes: ['overflow'] }],
    [berlin, 5, { codes: ['invalid'] }],
    [field.dateTime({ zone: 'Europe/Berlin' }), '2024-01-25T17:00:00', { codes: ['invalid'] }],
    [
      field.dateTime({ zone: 'Europe/Berlin', naive: 'utc' }),
      '2024-01-25T17:00',
      '2024-01-25T17:00:00Z',
    ],
    [field.dateTime({ naive: 'zone' }), '2024-01-25T17:00', '2024-01-25T17:00:00Z'],
    [field.dateTime({ format: 'unix' }), 1_706_198_400.5, '2024-01-25T16:00:00.500000Z'],
    [field.dateTime({ format: 'unix' }), -0.5, '1969-12-31T23:59:59.500000Z'],
    [field.dateTime({ format: 'unix' }), '2024-01-25T16:00:00Z', '2024-01-25T16:00:00Z'],
    [field.dateTime({ format: 'unix' }), 1e300, { codes: ['invalid'] }],
    [field.dateTime({ format: 'unix' }), Number.NaN, { codes: ['invalid'] }],
    [field.dateTime({ format: 'unix' }), 1e12, { codes: ['invalid'] }],
    [field.dateTime({ format: 'milliseconds' }), 1500, '1970-01-01T00:00:01.500000Z'],
    [field.dateTime({ format: 'milliseconds', as: 'milliseconds' }), 1500, 1500],
  ])('%# that a client sends', async (kind, value, expected) => {
    expect(await given(kind, value)).toEqual(expected)
  })

  test('is shown in the zone of the settings, unless it has one of its own', () => {
    const both = serializer({
      at: field.dateTime(),
      there: field.dateTime({ zone: 'Asia/Tokyo', source: 'at', readOnly: true }),
      here: field.dateTime({ zone: 'UTC', source: 'at', readOnly: true }),
    } as const)
    const to = requestWith(null, { timeZone: 'Europe/Berlin' })
    expect(both.represent({ at: 0 }, to)).toEqual({
      at: '1970-01-01T01:00:00+01:00',
      there: '1970-01-01T09:00:00+09:00',
      here: '1970-01-01T00:00:00Z',
    })
    expect(both.represent({ at: 0 }, request)).toMatchObject({ at: '1970-01-01T00:00:00Z' })
  })

  test('says which zone skips the time', async () => {
    const one = serializer({ at: berlin })
    await expect(async () =>
      one.parse({ at: '2024-03-31T02:30:00' }, request),
    ).rejects.toMatchObject({
      detail: {
        at: [
          {
            message:
              'The clocks in Europe/Berlin skip this time. Add an offset or use another time.',
          },
        ],
      },
    })
  })

  test('is the same instant in every form', async () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York')
    const instants = fc.integer({ min: -62_135_000_000_000, max: 253_402_000_000_000 })
    await fc.assert(
      fc.asyncProperty(zones, instants, async (zone, at) => {
        const text = new Date(at).toISOString()
        const written = shown(field.dateTime({ zone }), text)
        expect(await given(field.dateTime({ zone, as: 'milliseconds' }), written)).toBe(at)
        // A number of seconds holds microseconds until the year 2242.
        if (at > 8e12 || at < -8e12) return
        const unix = field.dateTime({ format: 'unix', as: 'milliseconds' })
        expect(await given(unix, shown(unix, text))).toBe(at)
      }),
    )
  })

  test('has a zone that there is', () => {
    expect(() => field.dateTime({ zone: 'Europe/Atlantis' })).toThrow(
      'There is no time zone "Europe/Atlantis". Use a name such as "Europe/Berlin".',
    )
    expect(() => field.date({ zone: '' })).toThrow('There is no time zone')
  })
})

describe('a duration', () => {
  test.each([
    [0, 'P0DT00H00M00S'],
    [90, 'P0DT00H01M30S'],
    [117_000.5, 'P1DT08H30M00.500000S'],
    [-117_000, '-P1DT08H30M00S'],
  ])('of %d seconds is %s in ISO 8601', async (seconds, text) => {
    const iso = field.duration({ format: 'iso' })
    expect(shown(iso, seconds)).toBe(text)
    expect(await given(iso, text)).toBe(seconds)
    const count = field.duration({ format: 'seconds' })
    expect(shown(count, seconds)).toBe(seconds)
    expect(await given(count, seconds)).toBe(seconds)
  })
})

describe('a decimal is rounded', () => {
  test.each([
    ['halfEven', ['2.12', '2.14', '-2.12', '2.13']],
    ['halfUp', ['2.13', '2.14', '-2.13', '2.13']],
    ['down', ['2.12', '2.13', '-2.12', '2.12']],
    ['up', ['2.13', '2.14', '-2.13', '2.13']],
    ['floor', ['2.12', '2.13', '-2.13', '2.12']],
    ['ceiling', ['2.13', '2.14', '-2.12', '2.13']],
  ] as const)('%s', async (rounding, expected) => {
    const price = field.decimal({ decimalPlaces: 2, rounding })
    expect(['2.125', '2.135', '-2.125', '2.126'].map((value) => shown(price, value))).toEqual(
      expected,
    )
    expect(shown(price, '2.1')).toBe('2.10')
    expect(await given(price, '2.125')).toEqual({ codes: ['max_decimal_places'] })
  })
})

describe('choices under headings', () => {
  const medium = field.choice({ groups: { Audio: { cd: 'CD', lp: 'Record' }, Video: ['dvd'] } })

  test('are values like others', async () => {
    expect(await given(medium, 'lp')).toBe('lp')
    expect(await given(medium, 'Audio')).toEqual({ codes: ['invalid_choice'] })
    const some = field.multipleChoice({ groups: { Odd: [1, 3], Even: [2] } })
    expect(await given(some, ['1', 2])).toEqual([1, 2])
  })

  test('have their headings in OPTIONS', () => {
    expect(serializer({ medium }).describe(request)['medium']?.choices).toEqual([
      { value: 'cd', display_name: 'CD', group: 'Audio' },
      { value: 'lp', display_name: 'Record', group: 'Audio' },
      { value: 'dvd', display_name: 'dvd', group: 'Video' },
    ])
  })

  test('while a choice may be called groups', async () => {
    expect(await given(field.choice({ groups: 'In groups', alone: 'Alone' }), 'groups')).toBe(
      'groups',
    )
  })
})
