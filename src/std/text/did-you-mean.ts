import { nearest } from './nearest.ts'

/**
 * What stands behind a sentence that refuses a name; empty where none is near.
 *
 * @example
 * didYouMean('pagesize', ['page', 'page_size']) // ' Did you mean "page_size"?'
 */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  show: (near: string) => string = (near) => `"${near}"`,
): string {
  const near = nearest(name, known)
  return near === null ? '' : ` Did you mean ${show(near)}?`
}
