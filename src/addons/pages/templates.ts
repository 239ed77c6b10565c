import type { PageControls } from '../../core/ports/policies/pagination.ts'
import type { BrowsableSettings } from '../../core/ports/settings/browsable.ts'
import { Message } from '../../core/messages/message.ts'
import type { Words } from '../../core/messages/words.ts'
import { contentPolicy, styleHash } from '../../core/representations/html-headers.ts'
import { oncePer } from '../../core/std/once.ts'
import type { Engine } from './engine.ts'
import type { PageModel } from './page-model.ts'

export class Templates {
  /** The `Content-Security-Policy` of pages of this look. */
  readonly policy: string
  readonly #engine: Engine
  readonly #look: Look
  readonly #style: Uint8Array
  readonly #script: Uint8Array
  readonly #mark = crypto.randomUUID()

  constructor(engine: Engine, { title = 'API', logo }: BrowsableSettings) {
    const { style, script, passkey } = engine
    this.#engine = engine
    this.#look = { style, script, passkey, title, logo: logo ?? null }
    this.#style = Buffer.from(style)
    this.#script = Buffer.from(script)
    this.policy = this.policyWith(null)
  }

  /** `formsTo`: a further target of forms, as a source of CSP. `hasPasskeys`: the page asks for a passkey. */
  policyWith(formsTo: string | null, hasPasskeys = false): string {
    const { style, script, passkey, logo } = this.#look
    return contentPolicy({
      loads: 'none',
      style: styleHash(style),
      script: (hasPasskeys ? [script, passkey] : [script]).map(styleHash).join(' '),
      pictures: logo !== null,
      formsTo,
    })
  }

  /** The policy of a page whose scripts and style sheets are files of this service. */
  policyWithFiles(): string {
    return contentPolicy({ loads: 'none', style: styleHash(this.#look.style), files: true })
  }

  /**
   * The page of an answer as bytes. Style, script and data make up nearly all of it. As texts they would be copied three times,
   * so they replace marks in the rendered text, which clients cannot guess.
   */
  renderPage(words: Words, data: InLayout, shown: Shown): Uint8Array {
    const inserts = [this.#style, this.#script, shown.html]
    const [style, script, html] = inserts.map((_, place) => `${this.#mark}${place}`)
    const text = this.#engine.render('page', {
      ...data,
      shown: { ...shown, html },
      ...this.#around(words),
      look: { ...this.#look, style, script },
    })
    const [first, ...others] = text.split(this.#mark)
    return Buffer.concat([
      Buffer.from(first!),
      ...others.flatMap((part) => [inserts[Number(part[0])]!, Buffer.from(part.slice(1))]),
    ])
  }

  /** Renders a page with the look, in the language of the words. */
  render(name: 'console' | 'login' | 'passkeys', words: Words, data: InLayout): string {
    return this.#engine.render(name, { ...data, ...this.#around(words) })
  }

  /** Renders controls with the application's own template of their name, or else with theirs. */
  renderControls({ template, data }: PageControls, words: Words): string {
    const { has, narrow, render } = this.#engine
    const { name } = template
    const own = has(name) ? render(name, { ...data, ...this.#around(words) }) : null
    return narrow(own ?? template.render(data, words))
  }

  #around(words: Words): object {
    const t = (...given: Parameters<typeof Message.of>): string => words.text(Message.of(...given))
    const { language } = words
    return { t, words, language, direction: directionOf(language), look: this.#look }
  }
}

/** The data of the answer, and a notice about it. */
interface Shown {
  readonly html: Uint8Array
  readonly notice: string | null
}

/** The data of the layout, which every page needs. */
type InLayout = Pick<PageModel, 'title' | 'theme' | 'themes'> & Readonly<Record<string, unknown>>

interface Look extends Pick<Engine, 'style' | 'script' | 'passkey'> {
  readonly title: string
  readonly logo: string | null
}

/** The templates of each setting, read and compiled when its first page is asked for. */
export const templatesFor: (settings: BrowsableSettings) => Promise<Templates> = oncePer(
  async (settings: BrowsableSettings) => {
    const { createEngine } = await import('./engine.ts')
    return new Templates(createEngine(settings), settings)
  },
)

/** The direction in which a language is written. */
function directionOf(language: string): 'ltr' | 'rtl' {
  return /^(?:ar|dv|fa|he|ks|ku|ps|sd|ug|ur|yi)\b/.test(language) ? 'rtl' : 'ltr'
}
