import type { Authenticator, Settings } from 'colophon'
import type { Entry, EntryConfig } from './data.ts'
import { GLOBAL } from './global.ts'
import { MissingParts } from './missing-parts.ts'
import { filters } from './parts/filters.ts'
import { bookItems } from './parts/items.ts'
import { parsers } from './parts/parsers.ts'
import { policies } from './parts/policies.ts'
import { renderers } from './parts/renderers.ts'
import { settingOf } from './parts/settings.ts'
import { styleOf } from './parts/styles.ts'
import { throttlesOf } from './parts/throttles.ts'
import { versioningOf } from './parts/versionings.ts'
import { views } from './parts/views.ts'
import type { View } from './parts/views/view.ts'

/** An endpoint as it is to be: its settings and its kind, or what it waits for. */
export interface Plan {
  readonly entry: Entry
  readonly config: EntryConfig
  /** What the endpoint says itself; the rest is inherited. */
  readonly settings: Partial<Settings>
  readonly view: View | null
  /** Parts that do not exist, such as `scheme BasicAuthentication`. */
  readonly missing: readonly string[]
}

type Schemes = Readonly<Record<string, Authenticator>>

/** Looks every part up that an entry names, or inherits. */
export function planOf(entry: Entry, schemes: Schemes): Plan {
  const { config = {} } = entry
  const parts = new MissingParts()
  const view = parts.find('kind', views, entry.view) ?? null
  const settings = { ...view?.settings, ...settingsOf(config, schemes, parts) }
  settingsOf(inheritedBy(config), schemes, parts)
  parts.findAll('item form', bookItems, config.item === undefined ? [] : [config.item])
  return { entry, config, settings, view, missing: parts.names }
}

function inheritedBy(config: EntryConfig): EntryConfig {
  return Object.fromEntries(Object.entries(GLOBAL).filter(([key]) => !(key in config)))
}

function settingsOf(config: EntryConfig, schemes: Schemes, parts: MissingParts): Partial<Settings> {
  const { pagination_class: style, versioning_class: versioning } = config
  return {
    ...classesOf(config, schemes, parts),
    ...(style !== undefined && { pagination: style && styleOf(style, parts) }),
    ...(versioning !== undefined && { versioning: versioning && versioningOf(versioning, parts) }),
    ...overridden(config, parts),
  }
}

function classesOf(config: EntryConfig, schemes: Schemes, parts: MissingParts): Partial<Settings> {
  const { authentication_classes, permission_classes, renderer_classes, parser_classes } = config
  const { filter_backends, throttle_classes, throttle_scope } = config
  return {
    ...(authentication_classes && {
      authentication: parts.findAll('scheme', schemes, authentication_classes),
    }),
    ...(permission_classes && {
      permissions: parts.findAll('policy', policies, permission_classes),
    }),
    ...(renderer_classes && { renderers: parts.findAll('renderer', renderers, renderer_classes) }),
    ...(parser_classes && { parsers: parts.findAll('parser', parsers, parser_classes) }),
    ...(throttle_classes && { throttles: throttlesOf(throttle_classes, parts) }),
    ...(throttle_scope !== undefined && { throttleScope: throttle_scope }),
    ...(filter_backends && { filters: parts.findAll('filter', filters, filter_backends) }),
  }
}

function overridden({ settings = {} }: EntryConfig, parts: MissingParts): Partial<Settings> {
  const found = Object.entries(settings).map(([key, value]) =>
    parts.check(`setting ${key}`, settingOf(key, value)),
  )
  return Object.assign({}, ...found) as Partial<Settings>
}
