import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  type Settings,
} from 'colophon'
import type { StyleConfig } from '../data.ts'
import type { MissingParts } from '../missing-parts.ts'
import { toOptions } from './attributes.ts'
import { envelopes, inEnvelope } from './envelopes.ts'
import { EveryNth } from './every-nth.ts'
import { paginators } from './paginators.ts'

/** A style, whatever it asks of its source. */
export type Style = NonNullable<Settings['pagination']>

/** The pagination styles, by name; options as their constructors take them. */
const styles: Readonly<Record<string, (options: object) => Style>> = {
  CursorPagination: (options) => new CursorPagination(options),
  LimitOffsetPagination: (options) => new LimitOffsetPagination(options),
  PageNumberPagination: (options) => new PageNumberPagination(options),
  EveryNth: () => new EveryNth(),
}

/** Makes a style from its attributes; `null` where a part of it is missing. */
export function styleOf(config: StyleConfig, parts: MissingParts): Style | null {
  const { style, envelope, django_paginator_class: cutter, ...attributes } = config
  const make = parts.find('style', styles, style)
  const paginator = cutter && parts.find('paginator', paginators, cutter)
  const respond = envelope && parts.find('envelope', envelopes, envelope)
  const made = make?.({ ...toOptions(attributes), ...(paginator ? { paginator } : {}) }) ?? null
  return made && respond ? inEnvelope(made, respond) : made
}
