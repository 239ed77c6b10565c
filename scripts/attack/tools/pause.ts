import { setTimeout as after } from 'node:timers/promises'

/** Milliseconds of doing nothing. */
export const pause = (milliseconds: number): Promise<void> => after(milliseconds)

/** Asks until the answer is yes, at most so many milliseconds: was it? */
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
