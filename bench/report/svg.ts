// Plots as SVG: lines over logarithmic axes, and bars. Each has its own background, so that it is legible on light and dark
// pages.

/** Values of one kind, and the place in the legend, which decides their colour. */
export interface Line {
  readonly name: string
  /** Two lines may share a colour if one of them is dashed. */
  readonly colour: number
  readonly dashed: boolean
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface LinePlot {
  readonly title: string
  /** The label with its unit. */
  readonly xLabel: string
  readonly yLabel: string
  /** The values at which the axis has a number. */
  readonly xTicks: readonly number[]
  readonly yScale: 'linear' | 'log'
  readonly lines: readonly Line[]
}

/** Bars that belong together. */
export interface BarGroup {
  readonly name: string
  readonly bars: readonly {
    readonly name: string
    readonly value: number
    readonly note: string
    readonly colour: number
  }[]
}

export interface BarPlot {
  readonly title: string
  readonly xLabel: string
  /** Longer bars are cut, but keep their number. */
  readonly most: number
  readonly groups: readonly BarGroup[]
}

const WIDTH = 760
const LEFT = 80
const RIGHT = 200
const TOP = 44
const PLOT_HEIGHT = 300

/** Draws lines, each with its name, a colour, and perhaps a dash. */
export function linePlot(plot: LinePlot): string {
  const { title, xLabel, yLabel, xTicks, yScale, lines } = plot
  const values = lines.flatMap(({ points }) => points.map(([, y]) => y))
  const yTicks = yScale === 'log' ? powersAround(values) : roundTicks(Math.max(...values))
  const x = scale(xTicks, LEFT, WIDTH - RIGHT, 'log')
  const y = scale(yTicks, TOP + PLOT_HEIGHT, TOP, yScale)
  const bottom = TOP + PLOT_HEIGHT
  return drawing(title, bottom + 56, [
    ...xTicks.map((tick) => text(x(tick), bottom + 18, short(tick), 'middle')),
    ...yTicks.flatMap((tick) => [
      stroke([LEFT, y(tick)], [WIDTH - RIGHT, y(tick)], 'grid'),
      text(LEFT - 8, y(tick) + 4, short(tick), 'end'),
    ]),
    stroke([LEFT, bottom], [WIDTH - RIGHT, bottom], 'axis'),
    text((LEFT + WIDTH - RIGHT) / 2, bottom + 42, xLabel, 'middle'),
    `<text class="label" text-anchor="middle" transform="translate(20 ${TOP + PLOT_HEIGHT / 2}) rotate(-90)">${escaped(yLabel)}</text>`,
    ...lines.flatMap((line, at) => [
      ...drawnLine(line, x, y),
      ...legendOf(line, WIDTH - RIGHT + 16, TOP + 14 + at * 22),
    ]),
  ])
}

const ROW = 19
const GAP = 14
const NAMES = 200

/** Draws horizontal bars, with a line at 1. */
export function barPlot({ title, xLabel, most, groups }: BarPlot): string {
  const x = scale([0, most], NAMES, WIDTH - 150, 'linear')
  const ticks = roundTicks(most)
  const parts: string[] = []
  let top = TOP
  for (const { name, bars } of groups) {
    parts.push(text(12, top + 13, name, 'start', 'strong'))
    for (const bar of bars) {
      const end = x(Math.min(bar.value, most))
      parts.push(
        text(NAMES - 8, top + 13, bar.name, 'end'),
        `<rect class="fill${bar.colour}" x="${NAMES}" y="${top + 2}" width="${at(end - NAMES)}" height="${ROW - 5}"/>`,
        text(end + 6, top + 13, `${bar.value > most ? '→ ' : ''}${bar.note}`, 'start'),
      )
      top += ROW
    }
    top += GAP
  }
  return drawing(title, top + 44, [
    ...ticks.flatMap((tick) => [
      stroke([x(tick), TOP - 4], [x(tick), top], tick === 1 ? 'axis' : 'grid'),
      text(x(tick), top + 16, short(tick), 'middle'),
    ]),
    ...parts,
    text((NAMES + WIDTH - 150) / 2, top + 38, xLabel, 'middle'),
  ])
}

type Scale = (value: number) => number

/** Maps values to positions; the first and the last value are the ends. */
function scale(ends: readonly number[], from: number, to: number, kind: 'linear' | 'log'): Scale {
  const of = kind === 'log' ? Math.log10 : (value: number) => value
  const [low, high] = [of(ends[0]!), of(ends.at(-1)!)]
  return (value) => from + ((of(value) - low) / (high - low)) * (to - from)
}

/** Powers of ten around all values: 0.1, 1, 10 and so on. */
function powersAround(values: readonly number[]): number[] {
  const from = Math.floor(Math.log10(Math.min(...values)))
  const to = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: Math.max(1, to - from) + 1 }, (_, step) => 10 ** (from + step))
}

/** Some round numbers from 0 to at least `most`. */
function roundTicks(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.2, 0.25, 0.5, 1, 2].map((part) => part * power).find((each) => most / each <= 6)!
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(6)),
  )
}

function drawnLine({ points, colour, dashed }: Line, x: Scale, y: Scale): string[] {
  const places = points.map(([one, other]) => `${at(x(one))},${at(y(other))}`)
  const dash = dashed ? ' stroke-dasharray="5 4"' : ''
  return [
    `<polyline class="line${colour}" points="${places.join(' ')}"${dash}/>`,
    ...points.map(([one, other]) => dot(x(one), y(other), colour, dashed)),
  ]
}

function legendOf({ name, colour, dashed }: Line, left: number, top: number): string[] {
  const dash = dashed ? ' stroke-dasharray="5 4"' : ''
  return [
    `<path class="line${colour}" d="M${left} ${top}h26"${dash}/>`,
    dot(left + 13, top, colour, dashed),
    text(left + 34, top + 4, name, 'start'),
  ]
}

/** Draws a full dot for a solid line, and a hollow one for a dashed line. */
function dot(x: number, y: number, colour: number, dashed: boolean): string {
  const kind = dashed ? `hollow line${colour}` : `fill${colour}`
  return `<circle class="${kind}" cx="${at(x)}" cy="${at(y)}" r="3.5"/>`
}

function stroke(from: readonly [number, number], to: readonly [number, number], kind: string) {
  return `<path class="${kind}" d="M${at(from[0])} ${at(from[1])}L${at(to[0])} ${at(to[1])}"/>`
}

function text(x: number, y: number, words: string, anchor: string, kind = 'label'): string {
  return `<text class="${kind}" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(words)}</text>`
}

const at = (place: number): string => String(Number(place.toFixed(1)))
const escaped = (words: string): string => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function short(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 3 })
}

/** Colours of lines and bars for light and dark backgrounds, which do not differ by red and green alone. */
const COLOURS = [
  ['#5b6570', '#a8b1ba'],
  ['#0072b2', '#56b4e9'],
  ['#d55e00', '#f0a04b'],
  ['#007a5a', '#2fc493'],
  ['#9b4f8e', '#d98fc6'],
] as const

function drawing(title: string, height: number, parts: readonly string[]): string {
  const colours = (which: 0 | 1): string =>
    COLOURS.map(
      (pair, index) =>
        `.fill${index}{fill:${pair[which]}}.line${index}{stroke:${pair[which]};fill:none;stroke-width:2}`,
    ).join('')
  const style = [
    'text{font:13px system-ui,sans-serif}.label{fill:#1f2328}.strong{fill:#1f2328;font-weight:600}',
    '.title{fill:#1f2328;font-size:15px;font-weight:600}.ground{fill:#fff}.hollow{fill:#fff !important}',
    'text{paint-order:stroke;stroke:#fff;stroke-width:4px}',
    '.grid{stroke:#d1d9e0}.axis{stroke:#59636e;stroke-width:1.5}',
    colours(0),
    '@media (prefers-color-scheme:dark){.label,.strong,.title{fill:#e6edf3}.ground{fill:#0d1117}',
    '.hollow{fill:#0d1117 !important}text{stroke:#0d1117}.grid{stroke:#30363d}.axis{stroke:#9198a1}',
    colours(1),
    '}',
  ].join('')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>`,
    text(12, 24, title, 'start', 'title'),
    ...parts,
    '</svg>\n',
  ].join('\n')
}
