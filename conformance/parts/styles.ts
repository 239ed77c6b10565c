import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  type Settings,
} from 'colophon'
import { EveryNth } from './every-nth.ts'

/** A style, whatever it asks of its source. */
export type Style = NonNullable<Settings['pagination']>

/** The pagination styles, by name; options as their constructors take them. */
export const styles: Readonly<Record<string, (options: object) => Style>> = {
  CursorPagination: (options) => new CursorPagination(options),
  LimitOffsetPagination: (options) => new LimitOffsetPagination(options),
  PageNumberPagination: (options) => new PageNumberPagination(options),
  EveryNth: () => new EveryNth(),
}
