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
  // Each statement comes by here: a race of promises, or an async function, would cost several more of them.
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let [answered, over] = [false, false]
  const timer = setTimeout(setImmediate, milliseconds, () => {
    if (answered) return
    over = true
    reject(late())
  })
  const end = (): void => {
    answered = true
    clearTimeout(timer)
  }
  work.then(
    (value) => {
      end()
      if (over) discard(value)
      else resolve(value)
    },
    (error: unknown) => {
      end()
      reject(error)
    },
  )
  return promise
}
