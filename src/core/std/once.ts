export function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}

/**
 * `make`, which is called once for each key, as long as the key is in use.
 *
 * @example const titles = oncePer((settings: Settings) => ({ title: settings.browsable.title ?? 'API' }))
 */
export function oncePer<Key extends object, Value extends object>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}
