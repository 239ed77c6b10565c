import { timingSafeEqual } from 'node:crypto'

/** Are these the same text? Takes as long for two that differ in the first character as in the last. */
export function safeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
