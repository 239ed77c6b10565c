import type { Route } from '../../types/routes.ts'
import type { CheckedService } from '../../contract/serializer.ts'
import type { Settings } from '../../contract/settings.ts'
import { explainName } from '../../links/explain-no-link.ts'

/** What is asked of a route: its name, and the parameters that the links fill in. */
export interface Wanted {
  readonly route: string
  /** `null`: they are worked out from the row. */
  readonly param: string | null
}

/**
 * Why the links of a field could not be made in this service, as a sentence; `null`: they can, as far
 * as anybody knows before there is a request.
 */
export function linkProblem(
  field: string,
  { route, param }: Wanted,
  { versioning }: Settings,
  { routes }: CheckedService,
): string | null {
  if (routes === null) return null
  // Without a scheme nobody adds a namespace or a parameter.
  const named = routes.filter(({ name }) =>
    versioning === null ? name === route : name === route || name.endsWith(`:${route}`),
  )
  const start = `The field "${field}" links to "${route}"`
  if (named.length === 0) return `${start}. ${explainName(route, namesOf(routes))}`
  if (param === null || named.some((one) => takes(one, param, versioning === null))) return null
  return `${start} with the parameter "${param}", and that address takes ${parametersOf(named)}.`
}

function takes({ parameters }: Route, param: string, nothingElse: boolean): boolean {
  return parameters.includes(param) && (!nothingElse || parameters.length === 1)
}

function namesOf(routes: readonly Route[]): readonly string[] {
  return [...new Set(routes.map(({ name }) => name))]
}

function parametersOf(routes: readonly Route[]): string {
  const lists = routes.map(({ parameters }) =>
    parameters.length === 0 ? 'none' : parameters.map((name) => `"${name}"`).join(' and '),
  )
  return [...new Set(lists)].join(', or ')
}
