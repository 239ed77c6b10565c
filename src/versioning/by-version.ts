interface Versioned<V extends string | null> {
  readonly version: V
}

/** A serializer that was declared by its fields. */
interface Declared {
  readonly fields: object
}

/** Type only: what is chosen for each version, for clients of one. */
interface Editions<C> {
  readonly '~byVersion'?: C
}

/**
 * Picks by the version of the request. Every version that the endpoint allows must have an answer,
 * and so must the lack of one, as second argument, where that can happen: else it does not compile.
 *
 * @example
 * list({ source, serializer: byVersion({ v1: brief, v2: full }) })
 */
export function byVersion<const C extends Readonly<Record<string, Declared>>>(
  choices: C,
): ((request: Versioned<keyof C & string>) => C[keyof C]) & Editions<C>
export function byVersion<V extends string, T>(choices: {
  readonly [K in V]: T
}): (request: Versioned<V>) => T
export function byVersion<V extends string, T>(
  choices: { readonly [K in V]: T },
  unversioned: T,
): (request: Versioned<V | null>) => T
export function byVersion<V extends string, T>(
  choices: { readonly [K in V]: T },
  unversioned?: T,
): (request: Versioned<V | null>) => T {
  const choose = ({ version }: Versioned<V | null>): T => {
    if (version !== null && Object.hasOwn(choices, version)) return choices[version]
    if (unversioned !== undefined) return unversioned
    throw new Error(`byVersion has no answer for the version ${JSON.stringify(version)}.`)
  }
  // All choices are known before there is a request: the checks at start-up look here.
  return Object.assign(choose, { '~choices': [...Object.values<T>(choices), unversioned] })
}
