import { existsSync, readdirSync, statSync } from 'node:fs'
import type { BrowsableSettings } from '../ports/settings/browsable.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { type OptionRule, TEXT, matching, membersProblem } from './options.ts'

/** The templates that pages are made of; a folder of the application may have its own. */
const TEMPLATES = [
  'layout',
  'page',
  'response',
  'records',
  'action',
  'toolbar',
  'filters',
  'compare',
  'metadata',
  'value',
  'actions',
  'forms',
  'login',
  'console',
] as const

export type TemplateName = (typeof TEMPLATES)[number]

/** Those of page controls are chosen by the option `template` of a style, and drawn with these if they are there. */
const CONTROLS = ['numbers', 'previous-and-next']

const MEMBERS: { readonly [K in keyof BrowsableSettings]-?: OptionRule } = {
  title: TEXT,
  logo: matching(
    'the path of a picture that this service serves, such as "/logo.svg"',
    /^\/(?![/\\])[\x21-\x7e]*$/,
  ),
  accent: matching('a colour such as "#3451d1"', /^#[0-9a-f]{6}$/i),
  templates: TEXT,
}

/** What is wrong, as the end of a sentence; `null`: nothing. */
export function browsableProblem(value: BrowsableSettings): string | null {
  const problem = membersProblem(value, MEMBERS)
  return problem ?? (value.templates === undefined ? null : folderProblem(value.templates))
}

function folderProblem(folder: string): string | null {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return `wants "templates" to be a folder, and ${JSON.stringify(folder)} is none. Create it, or give its absolute path.`
  const known: readonly string[] = [...TEMPLATES, ...CONTROLS]
  const found = readdirSync(folder).filter((file) => file.endsWith('.eta'))
  const stranger = found.map((file) => file.slice(0, -4)).find((name) => !known.includes(name))
  if (stranger === undefined) return null
  return `has a folder of templates with ${stranger}.eta, which no page uses.${didYouMean(stranger, known)}`
}
