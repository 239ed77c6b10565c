/**
 * What `work` gives, or a failure where it has given nothing for so many milliseconds; `discard` gets what
 * comes too late. After a standstill of this process, answers that have arrived are read first.
 */
export async function inTime<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
  discard: (value: T) => void = () => undefined,
): Promise<T> {
  if (milliseconds === Infinity) return work
  const { promise: over, reject } = Promise.withResolvers<never>()
  let answered = false
  const timer = setTimeout(setImmediate, milliseconds, () => {
    if (answered) return
    work.then(discard, () => undefined)
    reject(late())
  })
  try {
    return await Promise.race([work, over])
  } finally {
    answered = true
    clearTimeout(timer)
  }
}
