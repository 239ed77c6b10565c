import type { Urls } from '../types/routes.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { explainName, explainParams } from './explain.ts'
import { frameAmong } from './frame.ts'
import type { SuffixRule } from './suffix.ts'
import { type Params, type Template, build, countGiven, hasAll } from './template.ts'

/** Builds paths from names. Of several paths of a name the first is taken that takes exactly what was given. */
export function createReverse(
  templates: readonly Template[],
  suffixes: SuffixRule | null,
): Pick<Urls, 'reverse' | 'find' | 'frame'> {
  const byName = Map.groupBy(templates, ({ route }) => route.name)
  return {
    find,
    reverse: (name, params = NONE) => find(name, params) ?? refuse(name, params),
    frame: (name, params, param) => frameAmong(byName.get(name) ?? [], params, param, suffixes),
  }

  function find(name: string, params: Params = NONE): string | null {
    const candidates = byName.get(name)
    if (!candidates) return null
    const given = countGiven(params)
    for (const template of candidates) {
      const path = buildIfExact(template, params, given, suffixes)
      if (path !== null) return path
    }
    return null
  }

  function refuse(name: string, params: Params): never {
    const candidates = byName.get(name)
    if (!candidates) throw new NoReverseMatch(explainName(name, [...byName.keys()]))
    const isOfValue = candidates.some((template) => takesNames(template, params, suffixes))
    throw new NoReverseMatch(explainParams(name, candidates, params, suffixes), isOfValue)
  }
}

const NONE: Params = {}

function takesNames({ slots }: Template, params: Params, suffixes: SuffixRule | null): boolean {
  const given = countGiven(params) - (formatIn(params, suffixes) === undefined ? 0 : 1)
  return given === slots.length && hasAll(slots, params)
}

function formatIn(params: Params, suffixes: SuffixRule | null): unknown {
  return suffixes && Object.hasOwn(params, 'format') ? params['format'] : undefined
}

function buildIfExact(
  template: Template,
  params: Params,
  given: number,
  suffixes: SuffixRule | null,
): string | null {
  const format = formatIn(params, suffixes)
  const rest = format === undefined ? given : given - 1
  if (rest !== template.slots.length || !hasAll(template.slots, params)) return null
  if (format === undefined) return suffixes?.required ? null : build(template, params)
  return suffixes?.admits(format) ? build(template, params, format) : null
}
