// The content of docs/performance.md and its pictures, from the figures beside them.
import type { ConnectionsFigure } from '../connections/figure.ts'
import type { DepthFigure } from '../depth/curve.ts'
import type { Cold, Figure } from '../runs/figures.ts'
import { type Kept, readKept } from '../runs/kept.ts'
import { verdictsOn } from '../runs/targets.ts'
import {
  coldTable,
  databaseName,
  digits,
  figuresTable,
  table,
  verdictsTable,
  workName,
} from '../runs/words.ts'
import { type Flood, type Memory, floodTable, memoryTable } from '../works/figure.ts'
import { type Line, barPlot, linePlot } from './svg.ts'

/** Texts by the names of their markers, and pictures by their file names. */
export interface Shown {
  readonly texts: Readonly<Record<string, string>>
  readonly pictures: Readonly<Record<string, string>>
}

type Independent = Kept<{ readonly figures: readonly Figure[]; readonly colds: readonly Cold[] }>
type Second = Kept<{ readonly figures: readonly Figure[]; readonly leftOut: readonly string[] }>
type Works = Kept<{
  readonly figures: readonly Figure[]
  readonly floods: readonly Flood[]
  readonly memories: readonly Memory[]
}>
type Depth = Kept<{
  readonly rows: number
  readonly pageSize: number
  readonly figures: readonly DepthFigure[]
}>

/** All measured content; the rest of the page stays unchanged. */
export function shown(): Shown {
  const independent: Independent | null = readKept('independent')
  const second: Second | null = readKept('second-shape')
  const connections: Kept<readonly ConnectionsFigure[]> | null = readKept('connections')
  const depth: Depth | null = readKept('depth')
  const works: Works | null = readKept('works')
  const both = [
    ...(independent?.figures.figures ?? []),
    ...named(second?.figures.figures ?? []),
    ...(works?.figures.figures ?? []),
  ]
  const parts = [
    { texts: { behind: behind(both) }, pictures: {} },
    independent && independentShown(independent),
    second && secondShown(second),
    works && worksShown(works),
    depth && depthShown(depth),
    connections && connectionsShown(connections),
  ]
  return {
    texts: Object.assign({}, ...parts.map((part) => part?.texts)),
    pictures: Object.assign({}, ...parts.map((part) => part?.pictures)),
  }
}

/** The page with the texts between their markers. @throws Error a marker is missing */
export function filled(page: string, texts: Shown['texts']): string {
  return Object.entries(texts).reduce((before, [name, text]) => {
    const [start, end] = [`<!-- measured: ${name} -->`, '<!-- end -->']
    const from = before.indexOf(start)
    const to = before.indexOf(end, from)
    if (from === -1 || to === -1) throw new Error(`The page has no place for "${name}".`)
    return `${before.slice(0, from + start.length)}\n\n${text}\n\n${before.slice(to)}`
  }, page)
}

function independentShown(kept: Independent): Shown {
  const { figures, colds } = kept.figures
  return {
    texts: {
      targets: verdictsTable(verdictsOn(figures, colds)),
      independent: `${takenBy(kept)}\n\n${figuresTable(figures)}`,
      cold: coldTable(colds),
    },
    pictures: {
      'cpu-sqlite': cpuBars(figures, 'sqlite', 'cpu', 'CPU of the server per request, SQLite'),
      'cpu-pg': cpuBars(figures, 'pg', 'cpu', 'CPU of the server per request, PostgreSQL'),
      'cpu-pg-total': cpuBars(
        figures,
        'pg',
        'total',
        'CPU of server and PostgreSQL together per request',
      ),
    },
  }
}

function secondShown(kept: Second): Shown {
  const { figures, leftOut } = kept.figures
  const missing =
    leftOut.length === 0
      ? ''
      : `\n\n**Left out, because the answers are not what the rows say: ${leftOut.join(', ')}.**`
  return {
    texts: { 'second-shape': `${takenBy(kept)}${missing}\n\n${figuresTable(figures)}` },
    pictures: {
      'second-sqlite': cpuBars(figures, 'sqlite', 'cpu', 'Fourteen columns, SQLite'),
      'second-pg': cpuBars(figures, 'pg', 'cpu', 'Fourteen columns, PostgreSQL (server)'),
    },
  }
}

function worksShown(kept: Works): Shown {
  const { figures, floods, memories } = kept.figures
  const tables = [figuresTable(figures)]
  if (floods.length > 0) tables.push(floodTable(floods))
  if (memories.length > 0) tables.push(memoryTable(memories))
  return { texts: { works: [takenBy(kept), ...tables].join('\n\n') }, pictures: {} }
}

function depthShown(kept: Depth): Shown {
  const { rows, figures } = kept.figures
  const databases = [...new Set(figures.map(({ database }) => database))]
  const numbers = [...new Set(figures.map(({ page }) => page))]
  const lines = databases.flatMap((database, at): Line[] => {
    const own = figures.filter((figure) => figure.database === database)
    const name = databaseName(database)
    return [
      {
        name: `${name}, cursor`,
        colour: at + 1,
        dashed: false,
        points: own.map(({ page, cursor }) => [page, cursor]),
      },
      {
        name: `${name}, offset`,
        colour: at + 1,
        dashed: true,
        points: own.map(({ page, offset }) => [page, offset]),
      },
    ]
  })
  const cells = numbers.map((page) => [
    page.toLocaleString('en'),
    ...databases.flatMap((database) => {
      const found = figures.find((each) => each.database === database && each.page === page)!
      return [digits(found.cursor), digits(found.offset)]
    }),
  ])
  const head = databases.map(databaseName).flatMap((name) => [`${name}, cursor`, `${name}, offset`])
  return {
    texts: { depth: `${takenBy(kept)}\n\n${table(['Page', ...head], cells, 0)}` },
    pictures: {
      depth: linePlot({
        title: `A page of 100 among ${rows.toLocaleString('en')} rows`,
        xLabel: 'number of the page (logarithmic)',
        yLabel: 'milliseconds per page (logarithmic)',
        xTicks: numbers,
        yScale: 'log',
        lines,
      }),
    },
  }
}

function connectionsShown(kept: Kept<readonly ConnectionsFigure[]>): Shown {
  const works = [...new Set(kept.figures.map(({ work }) => work))]
  const pictures = works.map((work) => [`connections-${work}`, throughput(kept.figures, work)])
  const rows = kept.figures.map((figure) => [
    databaseName(figure.database),
    workName(figure.work),
    String(figure.connections),
    figure.peer,
    digits(figure.rps),
    digits(figure.p50),
    digits(figure.p99),
  ])
  const ordered = rows.toSorted((one, other) =>
    `${one[0]} ${one[1]}`.localeCompare(`${other[0]} ${other[1]}`),
  )
  const head = ['Database', 'Work', 'Connections', 'Peer', 'requests/s', 'p50, ms', 'p99, ms']
  return {
    texts: { connections: `${takenBy(kept)}\n\n${table(head, ordered, 2)}` },
    pictures: Object.fromEntries(pictures),
  }
}

function throughput(figures: readonly ConnectionsFigure[], work: string): string {
  const own = figures.filter((figure) => figure.work === work)
  const groups = Map.groupBy(own, ({ database, peer }) => `${databaseName(database)}, ${peer}`)
  const databases = [...new Set(own.map(({ database }) => database))]
  return linePlot({
    title: `Requests per second, ${workName(work)}`,
    xLabel: 'connections that ask at once (logarithmic)',
    yLabel: 'requests per second',
    xTicks: [...new Set(own.map(({ connections }) => connections))],
    yScale: 'linear',
    lines: [...groups].map(([name, points]) => ({
      name,
      colour: databases.indexOf(points[0]!.database) + 1,
      dashed: points[0]!.peer === 'raw',
      points: points.map(({ connections, rps }) => [connections, rps]),
    })),
  })
}

/** The colour of each peer, which is the same in every picture. */
const COLOURS: Readonly<Record<string, number>> = {
  raw: 0,
  rawmax: 4,
  best: 4,
  'fastify-tuned': 3,
  fastify: 2,
}

function cpuBars(
  figures: readonly Figure[],
  database: string,
  measure: 'cpu' | 'total',
  title: string,
): string {
  const own = figures.filter((figure) => figure.database === database)
  return barPlot({
    title,
    xLabel: 'CPU time ÷ that of raw (less is better)',
    most: 2.5,
    groups: [...Map.groupBy(own, ({ work }) => work)].map(([work, all]) => ({
      name: workName(work),
      bars: all.map(({ peer, ratio, cpu, db }) => ({
        name: peer,
        value: ratio[measure],
        note: `${ratio[measure].toFixed(2)} (${digits(measure === 'cpu' ? cpu : cpu + db)} µs)`,
        colour: COLOURS[peer] ?? 1,
      })),
    })),
  })
}

/** Gives the works of the second service names of their own. */
function named(figures: readonly Figure[]): Figure[] {
  return figures.map((figure) => ({
    ...figure,
    work: `fourteen columns, ${workName(figure.work)}`,
  }))
}

/** Every work that costs another peer less than Colophon, the greatest difference first. */
function behind(figures: readonly Figure[]): string {
  const own = figures.filter(({ peer }) => peer === 'colophon')
  const lines = own.flatMap((ours) => {
    const others = figures.filter(
      (each) => each.database === ours.database && each.work === ours.work && each !== ours,
    )
    const cheaper = others.filter(({ ratio }) => ratio.cpu < ours.ratio.cpu)
    if (cheaper.length === 0) return []
    const names = cheaper
      .toSorted((one, other) => one.ratio.cpu - other.ratio.cpu)
      .map(({ peer, ratio }) => `${peer} ${ratio.cpu.toFixed(2)}`)
    const what = `${workName(ours.work)}, ${databaseName(ours.database)}`
    const { cpu, low, high } = ours.ratio
    const range = `${cpu.toFixed(2)}** (${low.toFixed(2)} to ${high.toFixed(2)})`
    const text = `- **${what}: ${range}; less need ${names.join(', ')}.`
    return [{ text, distance: ours.ratio.cpu / Math.min(...cheaper.map(({ ratio }) => ratio.cpu)) }]
  })
  const sorted = lines.toSorted((one, other) => other.distance - one.distance)
  if (sorted.length === 0) return 'No other peer needs less CPU time for any of the works.'
  return sorted.map(({ text }) => text).join('\n')
}

function takenBy({ taken, command, machine }: Kept<unknown>): string {
  const { cores, processor, memory, system, load, software } = machine
  return `\`${command}\`\n\n_${taken}, ${cores} cores (${processor}), ${memory}, ${system}; ${software.join(', ')}; load of the machine before it began: ${load}._`
}
