import type { Kernel } from '../ports/http-adapter.ts'

/**
 * Handles requests where no server opens the application: the first one does. Where that fails, requests are refused, and
 * each tries again.
 */
export function openedByFirst(app: Kernel): Kernel['handle'] {
  return (request) => {
    const opening = app['~opening']?.() ?? null
    if (opening === null) return app.handle(request)
    return opening.then(
      () => app.handle(request),
      (error: unknown) => {
        if (app.refuse === undefined) throw error
        return app.refuse(error, request)
      },
    )
  }
}
