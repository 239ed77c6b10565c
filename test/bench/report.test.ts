// docs/performance.md and its pictures are what the figures beside them say.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filled, shown } from '../../bench/report/page.ts'
import { barPlot, linePlot } from '../../bench/report/svg.ts'
import { folder } from '../../bench/runs/kept.ts'
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
