// The independent bench is the copy that was handed over, and its figures are read as it writes them.
import { hash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Round, coldStarts, figuresOf, median } from '../../bench/runs/figures.ts'
import { verdictsOn } from '../../bench/runs/targets.ts'
import { figuresTable, verdictsTable } from '../../bench/runs/words.ts'
import { root } from '../../scripts/run.ts'

test('bench/independent is unchanged, byte for byte', () => {
  const home = join(root, 'bench/independent')
  const files = globSync(['**/*', '.gitignore'], { cwd: home })
    .filter((file) => statSync(join(home, file)).isFile())
    .toSorted()
  const sums = files.map((file) => `${hash('sha256', readFileSync(join(home, file)))}  ${file}`)
  const recorded = readFileSync(join(root, 'bench/independent.sha256'), 'utf8').trim().split('\n')
  expect(sums).toEqual(
    recorded.toSorted((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)),
  )
})

function round(cpu: number, db = 0, more: Partial<Round> = {}): Round {
  return { cpu, db, rps: 1000, p50: 1, p99: 4, pss: 100, errors: 0, ...more }
}

describe('figures', () => {
  const rounds = {
    raw: [round(10, 30), round(20, 20), round(40, 60, { p99: 8 })],
    colophon: [round(20, 20), round(10, 10, { errors: 2 }), round(30, 40, { pss: 170 })],
  }
  const figures = figuresOf('pg', 'page', rounds)

  test('are medians, with ratios to raw of the same round', () => {
    expect(figures[1]).toEqual({
      database: 'pg',
      work: 'page',
      peer: 'colophon',
      cpu: 20,
      db: 20,
      rps: 1000,
      p50: 1,
      p99: 4,
      pss: 100,
      errors: 2,
      // 2, 0.5 and 0.75; with the database 1, 0.5 and 0.7.
      ratio: { cpu: 0.75, low: 0.5, high: 2, total: 0.7, p99: 1, pss: 1 },
    })
  })

  test('are refused without raw', () => {
    expect(() => figuresOf('pg', 'page', { colophon: rounds.colophon })).toThrow(
      'page was not measured for raw.',
    )
  })

  test('leave out rounds in which a peer has answered nothing, and are refused where none is left', () => {
    const nothing = { ...round(1), rps: 0, cpu: null as never }
    const [, ours] = figuresOf('pg', 'page', {
      raw: [round(10), round(10)],
      colophon: [nothing, round(30)],
    })
    expect(ours).toMatchObject({ cpu: 30, ratio: { cpu: 3, low: 3, high: 3 } })
    expect(() => figuresOf('pg', 'page', { raw: [nothing], colophon: [round(1)] })).toThrow(
      'raw or raw has answered no request of page in time.',
    )
  })

  test('are judged by the targets of their database and work', () => {
    const verdicts = verdictsOn(figures, [])
    expect(verdicts.map(({ measure, most, state }) => [measure, most, state])).toEqual([
      ['cpu', 0.8, 'open'],
      ['total', 0.4, 'missed'],
      ['p99', 1.5, 'reached'],
      ['pss', 1.5, 'reached'],
    ])
  })

  test('are shown with the database beside the server, and what is not reached first', () => {
    const row = figuresTable(figures)
      .split('\n')
      .find((line) => line.includes('colophon ('))!
    expect(
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, 9),
    ).toEqual([
      'PostgreSQL',
      'page',
      'colophon (2 requests failed)',
      '20.0',
      '0.75',
      '0.50 to 2.00',
      '40.0',
      '0.70',
    ])
    const [, , first] = verdictsTable(verdictsOn(figures, [])).split('\n')
    expect(first).toMatch(/not reached.*CPU with the database +\| +0\.70 \| +– \| +0\.40 \|/)
  })
})

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([])).toBeNaN()
})

test('cold starts are read from what the bench prints', () => {
  const output = `run 2026: v24.21.0, 2 cores, load 0.1 0.1 0.1

#### sqlite · cold start: spawn to the first 200 on /hello (ms, 5 interleaved starts)

| peer | median ms | min..max | ÷ raw | PSS MB after start |
|---|---:|---:|---:|---:|
| raw | 74.2 | 72.7..75.1 | 1.00 | 40.1 |
| colophon | 1,148 | 1,100..1,205 | 2.10 | 62.3 |

#### pg · cold start: spawn to the first 200 on /hello (ms, 5 interleaved starts)

| peer | median ms | min..max | ÷ raw | PSS MB after start |
|---|---:|---:|---:|---:|
| raw | 120 | 110..131 | 1.00 | 45.0 |
| colophon | 156 | 150..190 | 1.30 | 62.3 |

#### pg · W1 GET /me (500 tokens in rotation), -c32, 5 rounds × 3 s

| peer | CPU µs/req (least) | CPU ÷ raw (min..max) |
|---|---:|---:|
| raw | 50.2 (49.0) | **1.00** (1.00..1.00) |
`
  const colds = coldStarts(output)
  expect(colds).toEqual([
    { database: 'sqlite', peer: 'raw', milliseconds: 74.2, ratio: 1 },
    { database: 'sqlite', peer: 'colophon', milliseconds: 1148, ratio: 2.1 },
    { database: 'pg', peer: 'raw', milliseconds: 120, ratio: 1 },
    { database: 'pg', peer: 'colophon', milliseconds: 156, ratio: 1.3 },
  ])
  expect(verdictsOn([], colds).map(({ state }) => state)).toEqual(['missed', 'reached'])
})
