import { AsyncLocalStorage } from 'node:async_hooks'
import type { DoorReply, DoorRequest, Kernel } from '../contract/door.ts'
import type { MaybePromise } from '../contract/request.ts'

/** What happens to unhandled rejections, such as of `void failing()` in a handler. */
export type UnhandledRejections = 'log' | 'leave'

/** Where a promise comes from: each one knows the request in which it was made. */
interface Origin {
  readonly kernel: Kernel
  readonly request: DoorRequest
}

const origins = new AsyncLocalStorage<Origin>()

/** The kernel's `handle`, such that a rejection can be traced to its request. */
export function traced(kernel: Kernel): (request: DoorRequest) => MaybePromise<DoorReply> {
  return (request) => origins.run({ kernel, request }, handle, kernel, request)
}

const handle = (kernel: Kernel, request: DoorRequest): MaybePromise<DoorReply> =>
  kernel.handle(request)

/** Logs the rejections of a kernel's requests, and those that belong to none, until the function that it returns is called. */
export function logRejections(kernel: Kernel): () => void {
  const log = (error: unknown): void => {
    const origin = origins.getStore()
    if (origin !== undefined && origin.kernel !== kernel) return
    kernel.report?.({ event: 'rejection.unhandled', error, request: origin?.request ?? null })
  }
  process.on('unhandledRejection', log)
  return () => void process.off('unhandledRejection', log)
}
