import type { Layer, Settings } from '../contract/settings.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { nearest } from '../std/text/nearest.ts'
import { KEYS, SETTING_NAMES, problemOf } from './keys.ts'

/** A layer and how to call it in messages: `api`, `colophon.json`, `group`, `endpoint article-list`. */
export interface NamedLayer {
  readonly name: string
  readonly values: Layer
}

/** Settings with the layer that said each. */
export interface Folded {
  readonly settings: Settings
  readonly provenance: Readonly<Record<keyof Settings, string>>
}

/**
 * Folds layers from the outermost to the innermost. The last word wins, nothing merges; `undefined`
 * says nothing, `null` switches off.
 *
 * @throws ConfigurationError for a value of the wrong type or a name nobody knows
 */
export function fold(defaults: Settings, layers: readonly NamedLayer[]): Folded {
  const settings: Record<string, unknown> = { ...defaults }
  const provenance: Record<string, string> = {}
  for (const name of SETTING_NAMES) provenance[name] = 'defaults'
  for (const layer of layers) {
    checkNames(layer)
    for (const name of SETTING_NAMES) {
      const value = layer.values[name]
      if (value === undefined) continue
      checkValue(layer, name, value)
      settings[name] = value
      provenance[name] = layer.name
    }
  }
  return {
    settings: Object.freeze(settings) as unknown as Settings,
    provenance: Object.freeze(provenance),
  }
}

function checkNames({ name: layer, values }: NamedLayer): void {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(KEYS, name)) continue
    const near = nearest(name, SETTING_NAMES)
    throw new ConfigurationError(
      `${layer}: there is no setting "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
    )
  }
}

function checkValue({ name: layer }: NamedLayer, name: keyof Settings, value: unknown): void {
  const problem = problemOf(KEYS[name].kind, value, describe)
  if (problem !== null) throw new ConfigurationError(`${layer}: "${name}" ${problem}`)
}

/** A value as a reader of messages and of `explain` wants to see it: classes by name. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`
  if (typeof value === 'function') return value.name || 'a function'
  if (typeof value === 'object' && value !== null) return nameOfClass(value)
  return JSON.stringify(value) ?? String(value)
}

function nameOfClass(value: object): string {
  const name: unknown = value.constructor?.name
  if (typeof name === 'string' && name !== 'Object') return name
  const members = Object.keys(value)
  return members.length === 0 ? 'an object' : `{${members.join(', ')}}`
}
