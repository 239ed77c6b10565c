/** The weight of entries, such as their bytes, and the most that all of them may weigh. */
interface Weight<Key, Value> {
  readonly most: number
  readonly of: (key: Key, value: Value) => number
}

interface Entry<Value> {
  value: Value
  readonly weight: number
  used: boolean
}

/**
 * A map that first forgets the entries that were not used for long. Entries stand in a line; the first one is forgotten, or goes
 * to its end where it has been used since it came there. That costs a use one assignment; an exact order would move the
 * entry each time, at ten times the price of the look-up.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>()
  readonly #capacity: number
  readonly #limit: Weight<Key, Value>
  #weight = 0

  constructor(capacity: number, weight: Weight<Key, Value> = { most: 0, of: () => 0 }) {
    this.#capacity = capacity
    this.#limit = weight
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.used = true
    return entry.value
  }

  /** An entry that weighs more than all entries may weigh together is not kept. */
  set(key: Key, value: Value): void {
    const { most } = this.#limit
    const weight = this.#limit.of(key, value)
    const known = this.#entries.get(key)
    if (known?.weight === weight) {
      known.value = value
      known.used = true
      return
    }
    this.delete(key)
    if (weight > most) return
    while (this.size >= this.#capacity || this.#weight + weight > most) this.#forgetOne()
    this.#entries.set(key, { value, weight, used: false })
    this.#weight += weight
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  #forgetOne(): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.used) return this.delete(key)
      entry.used = false
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
  }
}
