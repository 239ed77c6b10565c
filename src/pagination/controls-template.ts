import type { ControlsData, ControlsTemplate, PageLink } from '../contract/pagination.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { ENGLISH, type Words } from '../messages/words.ts'
import { type OptionRule, able } from '../settings/options.ts'
import { escapeHtml } from '../std/text/escape-html.ts'
import { nearest } from '../std/text/nearest.ts'

/** The option of a style that says how page controls look. */
export interface TemplateOption {
  /**
   * A template, or the name of a built-in one: `numbers`, `previous-and-next`. `null`: no controls.
   *
   * @default 'numbers' for counted styles, 'previous-and-next' for cursors
   */
  readonly template?: string | ControlsTemplate | null
}

const PREVIOUS = Message.of('page.previous')
const NEXT = Message.of('page.next')

/** Arrows and page numbers; without numbers only the arrows (H2). */
export const numbersTemplate: ControlsTemplate = Object.freeze({
  name: 'numbers',
  render: ({ previousUrl, nextUrl, pageLinks }: ControlsData, words: Words = ENGLISH): string =>
    nav(words, [
      arrow(words.text(PREVIOUS), 'prev', previousUrl),
      ...pageLinks.map((link) => numberOrBreak(link, words)),
      arrow(words.text(NEXT), 'next', nextUrl),
    ]),
})

/** Two buttons (H3). */
export const previousNextTemplate: ControlsTemplate = Object.freeze({
  name: 'previous-and-next',
  render: ({ previousUrl, nextUrl }: ControlsData, words: Words = ENGLISH): string =>
    nav(words, [
      arrow(words.text(PREVIOUS), 'prev', previousUrl),
      arrow(words.text(NEXT), 'next', nextUrl),
    ]),
})

const BUILT_IN: readonly ControlsTemplate[] = [numbersTemplate, previousNextTemplate]

/** What the option may be, for `checkOptions`. */
export const TEMPLATE: OptionRule = {
  wants: 'the name of a template, an object with name and render(), or null',
  fits: (value) =>
    value === null ||
    typeof value === 'string' ||
    (able('render').fits(value) && typeof (value as ControlsTemplate).name === 'string'),
}

/**
 * The template that the option of a style means; `null`: no controls are shown.
 *
 * @throws ConfigurationError no template has this name
 */
export function templateOf(
  style: string,
  option: string | ControlsTemplate | null,
): ControlsTemplate | null {
  if (typeof option !== 'string') return option
  const found = BUILT_IN.find(({ name }) => name === option)
  if (found) return found
  const names = BUILT_IN.map(({ name }) => name)
  const near = nearest(option, names)
  const hint = near === null ? `There are "${names.join('" and "')}".` : `Did you mean "${near}"?`
  throw new ConfigurationError(`${style}: there is no template "${option}". ${hint}`)
}

function nav(words: Words, items: readonly string[]): string {
  const label = escapeHtml(words.text(Message.of('page.controls')))
  return `<nav aria-label="${label}">\n<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>\n</nav>`
}

/** Without an address: a link that says of itself that it leads nowhere. */
function arrow(text: string, rel: 'prev' | 'next', url: string | null): string {
  return url === null
    ? `<span role="link" aria-disabled="true">${escapeHtml(text)}</span>`
    : `<a href="${escapeHtml(url)}" rel="${rel}">${escapeHtml(text)}</a>`
}

/** The current page stays a link (H2). */
function numberOrBreak({ url, number, isActive, isBreak }: PageLink, words: Words): string {
  if (isBreak || url === null) return '<span>…</span>'
  const current = isActive ? ' aria-current="page"' : ''
  const label = escapeHtml(words.text(Message.of('page.number', { number: number ?? '' })))
  return `<a href="${escapeHtml(url)}" aria-label="${label}"${current}>${number}</a>`
}
