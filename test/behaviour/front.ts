import type { App } from '../../src/index.ts'

/** A server in front that names its user in this header; the doors of the tests stand behind it. */
export const FRONT = 'x-front-user'

/** The keys by which a service believes it. */
export const BELIEVING = {
  REMOTE_USER_SOURCE: { header: 'X-Front-User', proxies: ['127.0.0.1'] },
} as const

/** The fetch door has no peer: what runs it reads the header of its own server, and vouches for it. */
export function behindAFront(app: App): App {
  return {
    ...app,
    fetch: (request: Request) => {
      const name = request.headers.get(FRONT)
      const REMOTE_USER = name === null ? undefined : Buffer.from(name, 'latin1').toString()
      return app.fetch(request, { environ: { REMOTE_USER } })
    },
  }
}
