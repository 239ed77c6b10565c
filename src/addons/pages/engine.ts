// The template engine with its files. It is loaded with the first page, and imports little, so that a service without pages
// does not load it.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta/core'
import type { BrowsableSettings } from '../../core/ports/settings/browsable.ts'
import { escapeHtml } from '../../core/std/text/escape-html.ts'

/** The folder of our templates: beside this file, and beside the file that a build makes of it. */
const OWN = join(import.meta.dirname, 'templates')

/** The files of one look, read and compiled. */
export interface Engine {
  readonly style: string
  readonly script: string
  /** The script of pages that ask for a passkey. */
  readonly passkey: string
  readonly has: (name: string) => boolean
  /** The same HTML without characters beyond Latin-1. */
  readonly narrow: (html: string) => string
  /** Renders a template. It escapes each value except the output of another template in `<%~ %>`. */
  readonly render: (name: string, data: object) => string
}

export function createEngine({ accent, templates }: BrowsableSettings): Engine {
  const eta = new Eta({ autoTrim: ['nl', false], varName: 'it', escapeFunction: escaped })
  for (const folder of [OWN, ...(templates === undefined ? [] : [templates])]) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.eta')))
      eta.loadTemplate(`@${file.slice(0, -4)}`, readFileSync(join(folder, file), 'utf8'))
  }
  const own = (file: string): string => readFileSync(join(OWN, file), 'utf8')
  return {
    style: short(own('style.css') + accentStyle(accent)),
    script: own('script.js'),
    passkey: own('passkey.js'),
    narrow: narrowHtml,
    has: (name) => eta.templatesSync.get(`@${name}`) !== undefined,
    render: (name, data) => eta.render(`@${name}`, data),
  }
}

/** In longer texts of other scripts, references would cost more than they save. */
const SHORT = 200

const STAYS = /^[^&<>"'\u0100-\uffff]*$/

function escaped(value: unknown): string {
  const given = String(value)
  if (STAYS.test(given)) return given
  const text = escapeHtml(given)
  return text.length > SHORT ? text : narrowHtml(text)
}

const WIDE = /[\u{100}-\u{10ffff}]/u
const EACH_WIDE = new RegExp(WIDE, 'gu')

/**
 * Replaces characters beyond Latin-1, such as arrows and quotation marks, by references. One such character makes a whole page
 * twice as long in memory, and several times as expensive to send.
 */
function narrowHtml(html: string): string {
  if (!WIDE.test(html)) return html
  const narrow = html.replace(EACH_WIDE, (character) => `&#${character.codePointAt(0)};`)
  // A string that was wide stays wide after a replacement; this copy is narrow.
  return Buffer.from(narrow, 'latin1').toString('latin1')
}

/** Removes comments and space, because every page contains the style sheet. */
function short(css: string): string {
  const one = css.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/\s+/g, ' ')
  return one
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim()
}

/** Our background colours; the style sheet repeats them for pages without a colour of their own. */
const GROUNDS = { light: '#ffffff', dark: '#0f1218' }

/** The contrast that text needs (WCAG 2.2, 1.4.3), with a reserve for surfaces that are a little darker or lighter. */
const ENOUGH = 5.2

/** The colour as tokens of the style sheet, with enough contrast in light and dark; `''`: our own colour stays. */
function accentStyle(accent: string | undefined): string {
  if (accent === undefined) return ''
  const light = legible(channels(accent), channels(GROUNDS.light), 0)
  const dark = legible(channels(accent), channels(GROUNDS.dark), 255)
  return `:root{--accent:light-dark(${hex(light)},${hex(dark)})}\n`
}

type Channels = readonly number[]

/** Mixes the colour with black (0) or white (255) until it is legible. */
function legible(colour: Channels, ground: Channels, towards: number): Channels {
  let mixed = colour
  for (let part = 0.02; contrast(mixed, ground) < ENOUGH; part += 0.02)
    mixed = colour.map((channel) => channel + (towards - channel) * part)
  return mixed
}

function contrast(one: Channels, other: Channels): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The relative luminance of WCAG 2.2. */
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
