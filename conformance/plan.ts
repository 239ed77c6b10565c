import type { Endpoint, Settings } from 'colophon'
import { fullNameOf } from './addresses.ts'
import type { ServiceApi } from './api.ts'
import type { Entry, EntryConfig, StyleConfig, ThrottleConfig, VersioningConfig } from './data.ts'
import { MissingPart, partIn, partsIn } from './part-in.ts'
import type { Parts } from './parts.ts'
import { toOptions } from './parts/attributes.ts'
import { inEnvelope } from './parts/envelopes.ts'
import { settingOf } from './parts/settings.ts'
import type { World } from './world.ts'

/** The endpoint of an entry. Where it names a part that is not there, every request is answered with that: 500. */
export function endpointOf(
  entry: Entry,
  parts: Parts,
  api: ServiceApi,
  world: World,
): Endpoint<never> {
  const { config = {} } = entry
  const name = fullNameOf(entry)
  try {
    const view = partIn('kind', parts.kinds, entry.view)
    const settings = { ...view.settings, ...settingsOf(config, parts) }
    return 'verbs' in view
      ? view.verbs(api.endpoint(name, settings), config, world)
      : view.endpoint(api.group(settings), name, config, world)
  } catch (error) {
    if (!(error instanceof MissingPart)) throw error
    console.error(`${entry.path} cannot be served. ${error.message}`)
    return api.group({ authentication: [new Failing(error)] }).endpoint(name)
  }
}

/** Asked of every request, whatever its method. */
class Failing {
  readonly #error: Error

  constructor(error: Error) {
    this.#error = error
  }

  authenticate(): never {
    throw this.#error
  }
}

/** What the endpoint says itself; the rest is inherited. */
function settingsOf(config: EntryConfig, parts: Parts): Partial<Settings> {
  const { pagination_class: style, versioning_class: versioning, settings = {} } = config
  return {
    ...classesOf(config, parts),
    ...(style !== undefined && { pagination: style && styleOf(style, parts) }),
    ...(versioning !== undefined && { versioning: versioning && versioningOf(versioning, parts) }),
    ...Object.assign({}, ...Object.entries(settings).map(([key, value]) => settingOf(key, value))),
  }
}

function classesOf(config: EntryConfig, parts: Parts): Partial<Settings> {
  const { authentication_classes, permission_classes, renderer_classes, parser_classes } = config
  const { filter_backends, throttle_classes, throttle_scope } = config
  return {
    ...(authentication_classes && {
      authentication: partsIn('scheme', parts.schemes, authentication_classes),
    }),
    ...(permission_classes && {
      permissions: partsIn('policy', parts.policies, permission_classes),
    }),
    ...(renderer_classes && { renderers: partsIn('renderer', parts.renderers, renderer_classes) }),
    ...(parser_classes && { parsers: partsIn('parser', parts.parsers, parser_classes) }),
    ...(throttle_classes && { throttles: throttlesOf(throttle_classes, parts) }),
    ...(throttle_scope !== undefined && { throttleScope: throttle_scope }),
    ...(filter_backends && { filters: partsIn('filter', parts.filters, filter_backends) }),
  }
}

function throttlesOf(configs: readonly ThrottleConfig[], { throttles }: Parts) {
  return configs.map(({ class: name, ...options }) => partIn('throttle', throttles, name)(options))
}

function styleOf(config: StyleConfig, { styles, paginators, envelopes }: Parts) {
  const { style, envelope, django_paginator_class: cutter, ...attributes } = config
  const paginator =
    cutter === undefined ? {} : { paginator: partIn('paginator', paginators, cutter) }
  const made = partIn('style', styles, style)({ ...toOptions(attributes), ...paginator })
  return envelope === undefined ? made : inEnvelope(made, partIn('envelope', envelopes, envelope))
}

function versioningOf({ scheme, ...attributes }: VersioningConfig, { versionings }: Parts) {
  return partIn('versioning', versionings, scheme)(toOptions(attributes))
}
