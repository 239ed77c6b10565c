export function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}

/**
 * Made when it is first asked for, and then kept: the start of a process pays for nothing that its first requests do not need.
 *
 * @example const letters = lazily(() => new RegExp(String.raw`\p{L}`, 'u'))
 */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

/** An object whose members are made when they are first asked for. */
export function lazyMembers<Members extends object>(makers: {
  readonly [Name in keyof Members]: () => Members[Name] & object
}): Members {
  const getters = Object.entries<() => object>(makers).map(([name, make]) => {
    return [name, { get: lazily(make), enumerable: true }]
  })
  return Object.defineProperties(
    {},
    Object.fromEntries(getters) as PropertyDescriptorMap,
  ) as Members
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
  return (key) => keptIn(made, key, make)
}

/** The map's value under the key; if it has none, the result of `make`, which the map keeps. */
export function keptIn<Key, Value>(
  kept: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = kept.get(key)
  if (known !== undefined) return known
  const value = make(key)
  kept.set(key, value)
  return value
}

/** The values made for a request, and before it; `owner` tells a copy of the request, for which nothing was made yet. */
interface Made {
  readonly owner: object
  readonly by: unknown
  readonly value: unknown
  readonly before: Made | null
}

/** A request that keeps what `oncePerRequest` makes for it. */
export interface MadeOnce {
  '~made'?: Made | null | undefined
}

/**
 * The same for requests, which keep the values themselves. Thousands of requests come and go between two garbage
 * collections, and each collection works through every entry of a weak map.
 */
export function oncePerRequest<Rq extends MadeOnce, Value>(
  make: (request: Rq) => Value,
): (request: Rq) => Value {
  return (request) => {
    for (let made = madeFor(request); made !== null; made = made.before)
      if (made.by === make) return made.value as Value
    const value = make(request)
    request['~made'] = { owner: request, by: make, value, before: madeFor(request) }
    return value
  }
}

function madeFor(request: MadeOnce): Made | null {
  const made = request['~made'] ?? null
  return made?.owner === request ? made : null
}
