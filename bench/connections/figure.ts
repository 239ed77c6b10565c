import type { Figure } from '../runs/figures.ts'

/** The measurements with so many connections. */
export interface ConnectionsFigure extends Pick<
  Figure,
  'database' | 'work' | 'peer' | 'rps' | 'p50' | 'p99'
> {
  readonly connections: number
}
