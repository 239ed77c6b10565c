import { ConfigurationError } from '../../errors/configuration-error.ts'

/** Where links of a field lead. */
export interface LinkTarget<Param extends string = string> {
  /** Name of the address; under namespaces the short one (`user-detail`) stays in the version of the request. */
  readonly route: string
  /** The parameter of its path that takes the key. @default 'id' */
  readonly param?: Param
  /** Format suffix of the links where the request has one (U28). @default that of the request */
  readonly format?: string
}

/** The same, with everything said. */
export interface Destination {
  readonly route: string
  readonly param: string
  readonly format: string | undefined
}

/** @throws ConfigurationError no route is named */
export function destinationOf(target: string | LinkTarget): Destination {
  const { route, param = 'id', format } = typeof target === 'string' ? { route: target } : target
  if (typeof route === 'string' && route !== '') return { route, param, format }
  throw new ConfigurationError('A hyperlink needs the name of the address that it leads to.')
}
