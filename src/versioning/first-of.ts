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
import { attempt } from '../std/attempt.ts'
import type { VersionCarrier } from '../types/documents.ts'

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
  return new FirstOf(schemes)
}

/** Schemes as one. It knows their versions and what they fill in, and no short names. */
export interface SchemesInOrder<S extends readonly VersioningScheme[]> extends VersioningScheme<
  ImpliedUnder<S[number]>
> {
  readonly '~schemes'?: S
}

class FirstOf implements VersioningScheme<never> {
  readonly #schemes: readonly VersioningScheme[]
  readonly #first: VersioningScheme
  /** Links go the way of the scheme that decided. */
  readonly #decided = new WeakMap<Incoming, VersioningScheme>()

  constructor([first, ...others]: readonly VersioningScheme[]) {
    if (first === undefined) throw new ConfigurationError('firstOf needs at least one scheme.')
    this.#schemes = [first, ...others]
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
      const url = scheme.reverse
        ? attempt(NoReverseMatch, () => scheme.reverse!(lookup, request, next))
        : next.find(lookup)
      if (url !== null) return url
    }
    return next(lookup)
  }

  /** If each scheme that makes links has them. */
  get linkForms(): VersioningScheme['linkForms'] {
    if (this.#schemes.some(({ reverse, linkForms }) => reverse && !linkForms)) return undefined
    return (version, request) =>
      this.#inOrder(request).flatMap(
        (scheme): readonly LinkForm[] => scheme.linkForms?.(version, request) ?? [{}],
      )
  }

  queryParams(settings: Settings): readonly string[] {
    return this.#schemes.flatMap((scheme) => scheme.queryParams?.(settings) ?? [])
  }

  carriers(settings: Settings): readonly VersionCarrier[] | null {
    const all = this.#schemes.map((scheme) => scheme.carriers?.(settings) ?? null)
    return all.includes(null) ? null : all.flatMap((carriers) => carriers ?? [])
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

  #inOrder(request: ApiRequest): readonly VersioningScheme[] {
    const decided = this.#decided.get(request) ?? this.#first
    return [decided, ...this.#schemes.filter((scheme) => scheme !== decided)]
  }
}

function carried(scheme: VersioningScheme, request: Incoming): MaybePromise<string | null> {
  return scheme.find === undefined ? scheme.determineVersion(request) : scheme.find(request)
}
