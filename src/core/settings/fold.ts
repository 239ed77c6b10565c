import type { Settings } from '../ports/settings/settings.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { KEYS, SETTING_NAMES, knownSetting, problemOf } from './endpoint-settings.ts'

export type Layer = { readonly [K in keyof Settings]?: Settings[K] | undefined }

/** A layer and how to call it in messages: `api`, `colophon.json`, `group`, `endpoint article-list`. */
export interface NamedLayer {
  readonly name: string
  readonly values: Layer
}

/** Settings, each with the layer that it comes from. */
export interface Folded {
  readonly settings: Settings
  readonly provenance: Readonly<Record<keyof Settings, string>>
}

/**
 * Folds layers from the outermost to the innermost. The innermost value wins, nothing merges; `undefined`
 * sets nothing, `null` switches off.
 *
 * @throws ConfigurationError for a value of the wrong type or an unknown name
 */
export function fold(defaults: Settings, layers: readonly NamedLayer[]): Folded {
  const settings: Record<string, unknown> = { ...defaults }
  const provenance = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'defaults']))
  for (const { name: layer, values } of layers) {
    for (const [written, value] of Object.entries(values)) {
      const name = knownSetting(layer, written)
      if (value === undefined) continue
      const problem = problemOf(name, value, describe)
      if (problem !== null) throw new ConfigurationError(`${layer}: "${name}" ${problem}`)
      settings[name] = KEYS[name].within?.(settings[name], value) ?? value
      provenance[name] = layer
    }
  }
  return {
    settings: Object.freeze(settings) as unknown as Settings,
    provenance: Object.freeze(provenance) as Folded['provenance'],
  }
}

/** A value as a reader of messages and of `explain` wants to see it: classes by name. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`
  if (typeof value === 'function') return value.name || 'a function'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const name: unknown = value.constructor?.name
  if (typeof name === 'string' && name !== 'Object') return name
  const members = Object.keys(value)
  return members.length === 0 ? 'an object' : `{${members.join(', ')}}`
}
