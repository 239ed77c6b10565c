import type {
  ControlsData,
  ControlsTemplate,
  LinkedPage,
  PageLink,
} from '../../core/ports/policies/pagination.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import { ENGLISH, type Words } from '../../core/messages/words.ts'
import { type OptionRule, able } from '../../core/settings/options.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'
import { escapeHtml } from '../../core/std/text/escape-html.ts'

/** The option of a style that says how page controls look. */
export interface TemplateOption {
  /**
   * A template, or the name of a built-in one: `numbers`, `previous-and-next`. `null`: no controls.
   * @default 'numbers' for counted styles, 'previous-and-next' for cursors
   */
  readonly template?: string | ControlsTemplate | null
}

/** Arrows and page numbers; without numbers only the arrows (H2). */
export const numbersTemplate: ControlsTemplate = builtIn('numbers', (data, words) =>
  data.pageLinks.map((link) => numberOrBreak(link, words)),
)

/** Two buttons (H3). */
export const previousNextTemplate: ControlsTemplate = builtIn('previous-and-next', () => [])

const BUILT_IN: readonly ControlsTemplate[] = [numbersTemplate, previousNextTemplate]

export const TEMPLATE: OptionRule = {
  wants: 'the name of a template, an object with name and render(), or null',
  fits: (value) =>
    value === null ||
    typeof value === 'string' ||
    (able('render').fits(value) && typeof (value as ControlsTemplate).name === 'string'),
}

/** @throws ConfigurationError no template has this name */
export function templateOf(
  style: string,
  option: string | ControlsTemplate | null,
): ControlsTemplate | null {
  if (typeof option !== 'string') return option
  const found = BUILT_IN.find(({ name }) => name === option)
  if (found) return found
  const names = BUILT_IN.map(({ name }) => name)
  const hint = didYouMean(option, names) || ` There are "${names.join('" and "')}".`
  throw new ConfigurationError(`${style}: there is no template "${option}".${hint}`)
}

function builtIn(
  name: string,
  between: (data: ControlsData, words: Words) => readonly string[],
): ControlsTemplate {
  const render = (data: ControlsData, words: Words = ENGLISH): string => {
    const items = [
      arrow(words.text(Message.of('page.previous')), 'prev', data.previousUrl),
      ...between(data, words),
      arrow(words.text(Message.of('page.next')), 'next', data.nextUrl),
    ].map((item) => `<li>${item}</li>`)
    const label = escapeHtml(words.text(Message.of('page.controls')))
    return `<nav aria-label="${label}">\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`
  }
  return Object.freeze({ name, render })
}

/** Draws an arrow. Without an address, the link says of itself that it leads nowhere. */
function arrow(text: string, rel: 'prev' | 'next', url: string | null): string {
  return url === null
    ? `<span role="link" aria-disabled="true">${escapeHtml(text)}</span>`
    : `<a href="${escapeHtml(url)}" rel="${rel}">${escapeHtml(text)}</a>`
}

/** Draws a page number or a break; the current page stays a link (H2). */
function numberOrBreak({ url, number, isActive, isBreak }: PageLink, words: Words): string {
  if (isBreak || url === null || number === null) return '<span>…</span>'
  const current = isActive ? ' aria-current="page"' : ''
  const label = escapeHtml(words.text(Message.of('page.number', { number })))
  return `<a href="${escapeHtml(url)}" aria-label="${label}"${current}>${number}</a>`
}

/** Controls of a list without page numbers; `null` where it has only this page. */
export function arrowsOnly({ next, previous }: Omit<LinkedPage, 'rows'>): ControlsData | null {
  if (next === null && previous === null) return null
  return { previousUrl: previous, nextUrl: next, pageLinks: [] }
}

/** The links of the numbers around page `current` of `final`, and the breaks between them (H14). */
export function pageLinks(
  current: number,
  final: number,
  urlOf: (page: number) => string,
): readonly PageLink[] {
  return shownNumbers(current, final).map((number) =>
    number === null
      ? { url: null, number, isActive: false, isBreak: true }
      : { url: urlOf(number), number, isActive: number === current, isBreak: false },
  )
}

/**
 * The page numbers that controls show around page `current` of `final` (H10–H13): the first, the last
 * and the neighbours, `null` for a break. A break hides at least two pages: close to an end, where it
 * would hide a single one, that number is shown instead (H11).
 */
export function shownNumbers(current: number, final: number): readonly (number | null)[] {
  if (final <= 5) return Array.from({ length: final }, (_, index) => index + 1)
  const begin = current <= 4 ? [1, 2, 3] : [1]
  const end = current >= final - 3 ? [final - 2, final - 1, final] : [final]
  const shown = new Set([...begin, current - 1, current, current + 1, ...end])
  const numbers = [...shown].filter((page) => page >= 1 && page <= final).toSorted((a, b) => a - b)
  return numbers.flatMap((page) => (page === 1 || shown.has(page - 1) ? [page] : [null, page]))
}
