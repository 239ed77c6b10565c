// Pages of one list from the first to the last: by cursors through the application, and by offset from the source.
import { median } from '../runs/figures.ts'
import { PAGE_SIZE, type Read, type Readings, readings } from './reading.ts'
import type { World } from './world.ts'

/** The milliseconds of a page. */
export interface DepthFigure {
  readonly database: string
  readonly page: number
  readonly cursor: number
  readonly offset: number
}

/** The readings by cursor in a round, of which the mean is taken. */
const READS = 20
const OFFSET_READS = 3
/** Milliseconds after which an offset is not read again. */
const LONG = 1000

/** Reads page 1, 10, 100 and so on to the last, in turns, so that other work on the machine affects all alike. */
export async function curve(world: World, rows: number, rounds: number): Promise<DepthFigure[]> {
  const numbers = numbersTo(rows / PAGE_SIZE)
  const pages = await Promise.all(numbers.map((page) => at(world, page)))
  const times = pages.map((): number[] => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, page] of pages.entries()) {
      const time = await mean(index === 0 ? page.start : page.deep, READS)
      if (round >= 0) times[index]!.push(time)
    }
  }
  const figures: DepthFigure[] = []
  for (const [index, page] of pages.entries()) {
    figures.push({
      database: world.short,
      page: numbers[index]!,
      cursor: rounded(median(times[index]!)),
      offset: rounded(await byOffset(page.offset)),
    })
  }
  return figures
}

function numbersTo(last: number): number[] {
  const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000].filter((page) => page < last)
  return [...powers, last]
}

function at(world: World, page: number): Promise<Readings> {
  const anchor = Math.max(1, (page - 1) * PAGE_SIZE)
  return readings(world.database, { column: 'created', descending: false, page, anchor })
}

async function mean(read: Read, reads: number): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < reads; i++) await read()
  return (performance.now() - started) / reads
}

/** Reads fewer times if a reading takes long. */
async function byOffset(read: Read): Promise<number> {
  const times: number[] = []
  while (times.length < OFFSET_READS && times.every((time) => time < LONG))
    times.push(await mean(read, 1))
  return median(times)
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}
