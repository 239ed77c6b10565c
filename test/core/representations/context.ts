import { DEFAULTS } from '../../../src/preset/built-in.ts'
import type { Accepted, RenderContext, Renderer } from '../../../src/core/ports/representations.ts'
import type { Incoming } from '../../../src/core/ports/request.ts'
import { Query } from '../../../src/core/std/http/query.ts'

/** A context as the pipeline hands it to a renderer: `GET /books/?page=2`. */
export function contextOf(
  renderers: readonly Renderer[],
  change: {
    parameters?: Record<string, string>
    headers?: string[]
    query?: string
    name?: string
  } = {},
): RenderContext {
  const [renderer] = renderers
  if (!renderer) throw new Error('A context needs a renderer.')
  const accepted = {
    renderer,
    mediaType: renderer.mediaType,
    parameters: change.parameters ?? {},
  }
  return {
    request: new FakeRequest(
      accepted,
      Query.parse(change.query ?? 'page=2'),
    ) as unknown as Incoming,
    endpointName: change.name ?? 'Book List',
    renderers,
    headers: change.headers ?? ['Content-Type', 'text/html; charset=utf-8'],
    prepared: null,
  }
}

/** Keeps its state private, as a request may. */
class FakeRequest {
  readonly method = 'GET'
  readonly path = '/books/'
  readonly settings = DEFAULTS
  readonly #accepted: Accepted
  readonly #query: Query

  constructor(accepted: Accepted, query: Query) {
    this.#accepted = accepted
    this.#query = query
  }

  get accepted() {
    return this.#accepted
  }

  get query() {
    return this.#query
  }

  header(name: string) {
    return name === 'host' ? this.#query.get('host') : null
  }
}
