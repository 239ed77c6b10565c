import { setTimeout as after } from 'node:timers/promises'

/** Waits for so many milliseconds. */
export const pause = (milliseconds: number): Promise<void> => after(milliseconds)

/** Repeats a question until its answer is yes, or the milliseconds are over; gives the last answer. */
export async function until(
  question: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    if (await question()) return true
    await after(20)
  }
  return false
}
