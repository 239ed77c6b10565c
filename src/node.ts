export * from './doors/node.ts'
export type { RunningServer } from './doors/connections.ts'
export { CannotListen } from './doors/listening.ts'
