import type {
  ApiRequest,
  Incoming,
  MaybePromise,
  Settings,
  VersioningFacts,
  VersioningScheme,
} from '../contract/request.ts'
import type { LinkForm, Lookup, PlainReverse } from '../contract/versioning.ts'
import type { ImpliedUnder } from '../types/version-types.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import { after } from '../std/after.ts'

/**
 * Several schemes in order. The first one that finds a version decides, with its own list and its own
 * error: a version that it finds and does not allow is refused, and no other scheme is asked. Where
 * none finds any, the first scheme decides, with its default. Links go the way of the scheme that
 * decided, and where it finds no route, the way of the others.
 *
 * A scheme finds what its `find` gives; one without `find` what its `determineVersion` gives, so its
 * default counts as found: let it be the last.
 *
 * @throws ConfigurationError no scheme is given
 * @example
 * firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()])
 */
export function firstOf<const S extends readonly VersioningScheme[]>(
  schemes: readonly [...S],
): SchemesInOrder<S> {
  return new FirstOf<S>(schemes)
}

/** Schemes as one. It knows their versions and what they fill in, and no short names. */
export interface SchemesInOrder<S extends readonly VersioningScheme[]> extends VersioningScheme<
  ImpliedUnder<S[number]>
> {
  readonly '~schemes'?: S
}

class FirstOf<S extends readonly VersioningScheme[]> implements SchemesInOrder<S> {
  declare readonly '~implied'?: ImpliedUnder<S[number]>
  declare readonly '~schemes'?: S
  readonly #schemes: readonly VersioningScheme[]
  readonly #first: VersioningScheme
  /** Who decided: links go the same way. */
  readonly #decided = new WeakMap<Incoming, VersioningScheme>()

  constructor(schemes: readonly VersioningScheme[]) {
    const [first] = schemes
    if (first === undefined) throw new ConfigurationError('firstOf needs at least one scheme.')
    this.#schemes = [...schemes]
    this.#first = first
  }

  determineVersion(request: Incoming): MaybePromise<string | null> {
    return after(this.#decide(request), (scheme) => {
      this.#decided.set(request, scheme)
      return scheme.determineVersion(request)
    })
  }

  find(request: Incoming): MaybePromise<string | null> {
    return after(this.#decide(request), (scheme) => carried(scheme, request))
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    for (const scheme of this.#inOrder(request)) {
      const url = attempt(scheme, lookup, request, next)
      if (url !== null) return url
    }
    return next(lookup)
  }

  /** The forms of all schemes, if each has them. */
  get linkForms(): VersioningScheme['linkForms'] {
    if (this.#schemes.some(({ reverse, linkForms }) => reverse && !linkForms)) return undefined
    return (version, request) =>
      this.#inOrder(request).flatMap(
        (scheme): readonly LinkForm[] => scheme.linkForms?.(version, request) ?? [{}],
      )
  }

  versions(settings: Settings): readonly string[] | null {
    const all = this.#schemes.map((scheme) => scheme.versions?.(settings) ?? null)
    return all.includes(null) ? null : [...new Set(all.flatMap((versions) => versions ?? []))]
  }

  check(facts: VersioningFacts): string | null {
    const alone = facts.alone && this.#schemes.length === 1
    for (const scheme of this.#schemes) {
      const problem = scheme.check?.({ ...facts, alone }) ?? null
      if (problem !== null) return `asks ${scheme.constructor.name}, which ${problem}`
    }
    return null
  }

  #decide(request: Incoming, from = 0): MaybePromise<VersioningScheme> {
    const scheme = this.#schemes[from]
    if (scheme === undefined) return this.#first
    return after(carried(scheme, request), (version) =>
      version === null ? this.#decide(request, from + 1) : scheme,
    )
  }

  /** The scheme that decided, then the others. */
  #inOrder(request: ApiRequest): readonly VersioningScheme[] {
    const decided = this.#decided.get(request) ?? this.#first
    return [decided, ...this.#schemes.filter((scheme) => scheme !== decided)]
  }
}

function carried(scheme: VersioningScheme, request: Incoming): MaybePromise<string | null> {
  return scheme.find === undefined ? scheme.determineVersion(request) : scheme.find(request)
}

function attempt(
  scheme: VersioningScheme,
  lookup: Lookup,
  request: ApiRequest,
  next: PlainReverse,
): string | null {
  if (scheme.reverse === undefined) return next.find(lookup)
  try {
    return scheme.reverse(lookup, request, next)
  } catch (error) {
    if (error instanceof NoReverseMatch) return null
    throw error
  }
}
