import type { Urls } from '../contract/routes.ts'
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
    throw new NoReverseMatch(explainParams(name, candidates, params, suffixes))
  }
}

const NONE: Params = {}

function buildIfExact(
  template: Template,
  params: Params,
  given: number,
  suffixes: SuffixRule | null,
): string | null {
  const format = suffixes && Object.hasOwn(params, 'format') ? params['format'] : undefined
  const rest = format === undefined ? given : given - 1
  if (rest !== template.slots.length || !hasAll(template.slots, params)) return null
  if (format === undefined) return suffixes?.required ? null : build(template, params)
  return suffixes?.admits(format) ? build(template, params, format) : null
}
