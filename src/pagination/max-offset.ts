import { ApiError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'

/** The option of a style that reads by offset. */
export interface DepthOptions {
  /**
   * The largest offset that is read: the database walks over every row that an offset leaves out.
   * What lies deeper is answered with 400. @default null: any
   */
  readonly maxOffset?: number | null
}

/** 400: the page begins behind the `maxOffset` of its style. */
export class OffsetTooLarge extends ApiError {
  static override readonly status = 400
  static override readonly code = 'max_offset'

  constructor(maxOffset: number) {
    super(Message.of('max_offset', { limit: maxOffset }))
  }
}

/** @throws OffsetTooLarge */
export function checkDepth(offset: number, maxOffset: number | null): void {
  if (maxOffset !== null && offset > maxOffset) throw new OffsetTooLarge(maxOffset)
}

/** How many pages further an offset may go from here. */
export function pagesLeft(offset: number, size: number, maxOffset: number | null): number {
  return maxOffset === null ? Infinity : Math.floor((maxOffset - offset) / size)
}
