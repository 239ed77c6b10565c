// docs/performance.md and its pictures are what the figures beside them say.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filled, shown } from '../../bench/report/page.ts'
import { barPlot, linePlot } from '../../bench/report/svg.ts'
import type { Figure } from '../../bench/runs/figures.ts'
import { folder } from '../../bench/runs/kept.ts'
import { verdictsOn } from '../../bench/runs/targets.ts'
import { figuresTable, verdictsTable } from '../../bench/runs/words.ts'
import { root } from '../../scripts/run.ts'

const page = readFileSync(join(root, 'docs/performance.md'), 'utf8')
const { texts, pictures } = shown()

test('the page has the figures that were kept: `npm run bench -- report` writes it', () => {
  expect(Object.keys(texts)).not.toEqual([])
  expect(filled(page, texts)).toBe(page)
})

test.each(Object.entries(pictures))(
  'the picture %s shows the figures that were kept',
  (name, text) => {
    const file = join(folder, `${name}.svg`)
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(page).toContain(`(performance/${name}.svg)`)
  },
)

test('a text goes between its markers, and a page without them is refused', () => {
  const before =
    'a\n<!-- measured: one -->\nold\n<!-- end -->\n<!-- measured: two -->\n<!-- end -->\nb'
  expect(filled(before, { two: 'new' })).toBe(
    'a\n<!-- measured: one -->\nold\n<!-- end -->\n<!-- measured: two -->\n\nnew\n\n<!-- end -->\nb',
  )
  expect(() => filled(before, { three: '' })).toThrow('The page has no place for "three".')
})

describe('a target', () => {
  const figure = (low: number, high: number): Figure => ({
    database: 'pg',
    work: 'hello',
    peer: 'colophon',
    errors: 0,
    cpu: 10,
    db: 0,
    rps: 1,
    p50: 1,
    p99: 1,
    pss: 1,
    ratio: { cpu: 0.84, low, high, total: 1, p99: 1.5, pss: 1.6 },
  })

  test.each([
    [0.74, 0.85, 'reached'],
    [0.74, 1.01, 'open'],
    [0.86, 1.01, 'missed'],
  ])('of 0.85 is, between %d and %d, %s', (low, high, state) => {
    const verdicts = verdictsOn([figure(low, high)], [])
    const states = Object.fromEntries(verdicts.map((each) => [each.measure, each.state]))
    expect(states).toEqual({ cpu: state, p99: 'reached', pss: 'missed' })
  })

  test('is shown with its range, what was not reached first', () => {
    const lines = verdictsTable(verdictsOn([figure(0.74, 1.01)], []))
      .split('\n')
      .slice(2)
    expect(lines.map((line) => line.split(/ *\| */).filter(Boolean))).toEqual([
      ['**not reached**', 'PostgreSQL', 'hello', 'memory', '1.60', '–', '1.50'],
      ['**open**', 'PostgreSQL', 'hello', 'CPU of the server', '0.84', '0.74 to 1.01', '0.85'],
      ['reached', 'PostgreSQL', 'hello', 'p99', '1.50', '–', '1.50'],
    ])
  })

  test('stands beside the peers, and beside them in what they do other work', () => {
    const raw = { ...figure(1, 1), work: 'page', peer: 'raw' }
    const table = figuresTable([raw, { ...figure(0.7, 0.9), work: 'page' }])
    expect(table).toMatch(/\| raw ¹ ² *\|.*\| colophon *\|.*\| +0\.70 to 0\.90 \|/s)
    expect(table).toMatch(/^¹ Reads every page from the front\..*\n\n² Counts for each request\./m)
  })
})

describe('a plot of lines', () => {
  const plot = linePlot({
    title: 'Time & depth',
    xLabel: 'page',
    yLabel: 'ms',
    xTicks: [1, 10, 100],
    yScale: 'log',
    lines: [
      {
        name: 'cursor',
        colour: 1,
        dashed: false,
        points: [
          [1, 1],
          [10, 1],
          [100, 1],
        ],
      },
      {
        name: 'offset',
        colour: 1,
        dashed: true,
        points: [
          [1, 1],
          [10, 10],
          [100, 100],
        ],
      },
    ],
  })
  const lines = [...plot.matchAll(/<polyline class="line1" points="([^"]+)"/g)].map(
    ([, points = '']) => points.split(' ').map((point) => point.split(',').map(Number)),
  )

  test('has equal steps for equal ratios on both axes', () => {
    expect(lines).toEqual([
      [
        [80, 344],
        [320, 344],
        [560, 344],
      ],
      [
        [80, 344],
        [320, 194],
        [560, 44],
      ],
    ])
  })

  test('says what its axes are, and escapes what XML needs', () => {
    for (const words of ['>page<', '>ms<', '>cursor<', '>offset<', 'Time &amp; depth'])
      expect(plot).toContain(words)
  })
})

test('a bar that is longer than the plot is cut, and keeps its number', () => {
  const bar = { name: 'slow', value: 5, note: '5.00', colour: 2 }
  const plot = barPlot({
    title: 'Bars',
    xLabel: 'times',
    most: 2,
    groups: [{ name: 'work', bars: [{ ...bar, value: 1, note: '1.00' }, bar] }],
  })
  const widths = [...plot.matchAll(/<rect class="fill2"[^>]* width="([\d.]+)"/g)]
  expect(widths.map(([, width]) => Number(width))).toEqual([205, 410])
  expect(plot).toContain('>→ 5.00<')
})
