export {
  type ListenerOptions,
  type NodeServerOptions,
  type Servable,
  serve,
  toListener,
} from './doors/node.ts'
export { CannotListen, type RunningServer } from './doors/running-server.ts'
