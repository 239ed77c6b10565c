import type { Figure } from '../runs/figures.ts'

/** What was measured with that many connections. */
export interface ConnectionsFigure extends Pick<
  Figure,
  'database' | 'work' | 'peer' | 'rps' | 'p50' | 'p99'
> {
  readonly connections: number
}
