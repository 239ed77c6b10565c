// What has to hold for every list that is read with cursors, whoever reads it.
import type { MaybePromise } from '../../src/core/std/after.ts'

/** A page as its reader sees it. */
export interface SeenPage {
  readonly labels: readonly number[]
  /** Addresses of the neighbours. */
  readonly next: string | null
  readonly previous: string | null
}

/** Asks for a page by its address; `null`: for the first one. */
export type Ask = (address: string | null) => MaybePromise<SeenPage>

/** The pages that lie one behind the other, at most `most` of them. */
export async function follow(
  ask: Ask,
  start: SeenPage,
  side: 'next' | 'previous',
  most: number,
): Promise<readonly SeenPage[]> {
  const pages: SeenPage[] = []
  for (let address = start[side]; address !== null; address = pages.at(-1)![side]) {
    if (pages.length === most) throw new Error(`There is no end of pages to ${side}.`)
    pages.push(await ask(address))
  }
  return pages
}

/** Both ways through a list that nobody changes meanwhile. */
export async function proveWalk(
  asking: Ask,
  expected: readonly number[],
  size: number,
): Promise<void> {
  const ask = remembering(asking)
  const cut = Math.max(1, Math.ceil(expected.length / size))
  const first = await ask(null)
  const forward = [first, ...(await follow(ask, first, 'next', cut))]
  same('forward', labelsOf(forward), expected)
  same('the number of pages', forward.length, cut)
  same('in front of the first page', first.previous, null)
  const back = (await follow(ask, forward.at(-1)!, 'previous', cut)).toReversed()
  same('backward', [...labelsOf(back), ...forward.at(-1)!.labels], expected)
  for (let at = 1; at < cut; at++) {
    const page = forward[at - 1]!.labels
    same(
      `the page before page ${at + 1}`,
      (await neighbour(ask, forward[at]!, 'previous')).labels,
      page,
    )
    same(`page ${at} from behind`, back[at - 1]!.labels, page)
    same(
      `the page after page ${at}`,
      (await neighbour(ask, back[at - 1]!, 'next')).labels,
      forward[at]!.labels,
    )
  }
}

async function neighbour(ask: Ask, page: SeenPage, side: 'next' | 'previous'): Promise<SeenPage> {
  const address = page[side]
  if (address === null) throw new Error(`There is a page to ${side}, and no address of it.`)
  return ask(address)
}

/** While nothing changes, an address is asked once. */
function remembering(ask: Ask): Ask {
  const known = new Map<string | null, SeenPage>()
  return async (address) => {
    const page = known.get(address) ?? (await ask(address))
    known.set(address, page)
    return page
  }
}

export function labelsOf(pages: readonly SeenPage[]): readonly number[] {
  return pages.flatMap(({ labels }) => labels)
}

/** Compares what is read: cheaper by far than an assertion, and there are millions of them. */
export function same(what: string, found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== should) throw new Error(`${what}: ${is}, and not ${should}`)
}
