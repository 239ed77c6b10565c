export * from './core/serving/node.ts'
export { CannotListen } from './core/serving/listening.ts'
