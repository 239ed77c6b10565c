import type { Context } from './context.ts'

/** One step of a request. It returns a promise only when it has to wait: nobody awaits a value. */
export type Slot = (request: Context) => Promise<void> | void

/** The step with nothing to do, shared by all endpoints that need none. */
export const nothing: Slot = () => {}
