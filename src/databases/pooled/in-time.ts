/**
 * What `work` gives, or a failure where it has given nothing for so many milliseconds; `discard` gets what
 * comes too late. After a standstill of this process, answers that have arrived are read first.
 */
export function inTime<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
  discard: (value: T) => void = () => undefined,
): Promise<T> {
  if (milliseconds === Infinity) return work
  return new Promise((resolve, reject) => {
    let over = false
    const giveUp = (): void => {
      if (over) return
      over = true
      reject(late())
    }
    const timer = setTimeout(setImmediate, milliseconds, giveUp)
    work.then(
      (value) => {
        clearTimeout(timer)
        if (over) return discard(value)
        over = true
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        over = true
        reject(error)
      },
    )
  })
}
