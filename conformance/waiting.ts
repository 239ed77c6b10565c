import type { Waiting } from './assemble.ts'
import type { Case } from './data/replay.mjs'

/** Says of a case whether it asks for a path that is not served yet. */
export type IsWaiting = (testCase: Case) => boolean

/** Asks the service what it waits for. Addresses that a case learns from an answer do not count. */
export async function waitingAt(url: string): Promise<IsWaiting> {
  const response = await fetch(`${url}/control/waiting/`)
  const { waiting } = (await response.json()) as { readonly waiting: readonly Waiting[] }
  return ({ steps }) =>
    steps.some(({ request, walk }) => {
      const path = (request?.path ?? walk?.path ?? '').replace(/[?#].*$/s, '')
      return waiting.some((each) => fits(path, each.path))
    })
}

/** `/books/7/` fits `/books/<id>/`. */
function fits(path: string, pattern: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every(
      (each, index) => each === segments[index] || (each.startsWith('<') && segments[index] !== ''),
    )
  )
}
