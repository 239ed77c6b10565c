export * from './core/serving/node.ts'
export type { RunningServer } from './core/serving/exchange.ts'
export { CannotListen } from './core/serving/listening.ts'
