// The template engine and what it works with, loaded when the first page is asked for: a service that answers programs
// never pays for it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta/core'
import type { BrowsableSettings } from '../contract/settings/browsable.ts'
import { Message } from '../messages/message.ts'
import type { Words } from '../messages/words.ts'
import { TEMPLATE_NAMES } from '../settings/browsable.ts'
import { contentPolicy, styleHash } from '../std/http/content-security-policy.ts'
import { oncePer } from '../std/once.ts'

/** Where ours are: beside this file, and beside the file that it is built into. */
const OWN = join(import.meta.dirname, 'templates')

/** What pages of one look are made with. */
export class Templates {
  /** Value of `Content-Security-Policy` for pages of this look. */
  readonly policy: string
  readonly #engine: Eta
  readonly #look: Look

  constructor(settings: BrowsableSettings) {
    const style = file('style.css') + accentStyle(settings.accent)
    const script = file('script.js')
    const { title = 'API', logo = null } = settings
    this.#look = { style, script, title, logo }
    this.#engine = new Eta({ autoTrim: ['nl', false], varName: 'it' })
    for (const name of TEMPLATE_NAMES) this.#engine.loadTemplate(`@${name}`, textOf(name, settings))
    for (const name of ['numbers', 'previous-and-next']) {
      const own = ownText(name, settings)
      if (own !== null) this.#engine.loadTemplate(`@${name}`, own)
    }
    this.policy = this.policyWith(null)
  }

  /** `formsTo`: where forms lead besides this service, as a source of CSP. */
  policyWith(formsTo: string | null): string {
    const { style, script, logo } = this.#look
    return contentPolicy({
      loads: 'none',
      style: styleHash(style),
      script: script === '' ? null : styleHash(script),
      pictures: logo !== null,
      formsTo,
    })
  }

  /** Is there a template of the application for it? */
  has(name: string): boolean {
    return this.#engine.templatesSync.get(`@${name}`) !== undefined
  }

  /** Everything is escaped where the template shows it, but for what `<%~ %>` takes from another template. */
  render(name: string, words: Words, data: object): string {
    const t = (...given: Parameters<typeof Message.of>): string => words.text(Message.of(...given))
    return this.#engine.render(`@${name}`, {
      ...data,
      t,
      words,
      language: words.language,
      direction: directionOf(words.language),
      look: this.#look,
    })
  }
}

interface Look {
  readonly style: string
  readonly script: string
  readonly title: string
  readonly logo: string | null
}

/** Read and compiled once for each setting. */
export const templatesFor: (settings: BrowsableSettings) => Templates = oncePer(
  (settings: BrowsableSettings) => new Templates(settings),
)

function textOf(name: string, settings: BrowsableSettings): string {
  return ownText(name, settings) ?? file(`${name}.eta`)
}

function ownText(name: string, { templates }: BrowsableSettings): string | null {
  const path = templates === undefined ? null : join(templates, `${name}.eta`)
  return path !== null && existsSync(path) ? readFileSync(path, 'utf8') : null
}

function file(name: string): string {
  return readFileSync(join(OWN, name), 'utf8')
}

/** Of the languages that are written from right to left, and have sentences in an application. */
function directionOf(language: string): 'ltr' | 'rtl' {
  return /^(?:ar|dv|fa|he|ks|ku|ps|sd|ug|ur|yi)\b/.test(language) ? 'rtl' : 'ltr'
}

/** Ours; the style sheet has it too, for pages without a colour of their own. */
const GROUNDS = { light: '#ffffff', dark: '#0f1218' }

/** Contrast that text needs (WCAG 2.2, 1.4.3), with some in reserve for surfaces that are a little darker or lighter. */
const ENOUGH = 5.2

/** The colour as tokens of the style sheet, with enough contrast in the light and in the dark; `''`: ours stays. */
function accentStyle(accent: string | undefined): string {
  if (accent === undefined) return ''
  const light = legible(channels(accent), channels(GROUNDS.light), 0)
  const dark = legible(channels(accent), channels(GROUNDS.dark), 255)
  return `:root{--accent:light-dark(${hex(light)},${hex(dark)})}\n`
}

type Channels = readonly number[]

/** Mixed with black (0) or white (255) until it can be read. */
function legible(colour: Channels, ground: Channels, towards: number): Channels {
  for (let part = 0; part < 1; part += 0.02) {
    const mixed = colour.map((channel) => channel + (towards - channel) * part)
    if (contrast(mixed, ground) >= ENOUGH) return mixed
  }
  return colour.map(() => towards)
}

function contrast(one: Channels, other: Channels): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: Channels): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(colour: string): Channels {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

function hex(colour: Channels): string {
  return `#${colour.map((each) => Math.round(each).toString(16).padStart(2, '0')).join('')}`
}
