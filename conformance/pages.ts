import type { Waiting } from './assemble.ts'

/** Pages beside the API (SERVICE §3.1). They come with sessions. */
export const pages: readonly Waiting[] = [
  '/login/',
  '/logout/',
  '/pages/private/',
  '/pages/public/',
].map((path) => ({ path, parts: ['sessions'] }))
