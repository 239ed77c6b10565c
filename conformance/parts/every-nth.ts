import { type Incoming, type Reply, reply } from 'colophon'
import type { ListSource, Page, Paginator } from 'colophon/types'
import type { JSONSchema, ParameterFacts } from 'colophon/openapi'

interface Sample extends Page {
  readonly skipped: number
}

/** A style of its own: `?nth=3` gives items 1, 4, 7 … and tells how many were left out. */
export class EveryNth implements Paginator<ListSource<unknown>, Sample> {
  async paginate(source: ListSource<unknown>, request: Incoming): Promise<Sample | null> {
    const nth = wholeNumber(request.query.get('nth')) ?? 10
    if (nth < 1) return null
    const all = await source.slice(0, Number.MAX_SAFE_INTEGER)
    const rows = all.filter((_, index) => index % nth === 0)
    return { rows, skipped: all.length - rows.length }
  }

  parameters(): readonly ParameterFacts[] {
    return [{ name: 'nth', schema: { type: 'string' } }]
  }

  schema(results: JSONSchema): JSONSchema {
    const sample = {
      type: 'object',
      properties: { skipped: { type: 'integer' }, items: results },
      required: ['skipped', 'items'],
    }
    return { anyOf: [sample, results] }
  }

  respond({ skipped }: Sample, items: readonly unknown[]): Reply {
    return reply({ skipped, items })
  }
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : null
}
