/** A map of limited size: what was put in first is forgotten first. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#capacity && !this.#entries.has(key)) this.#forgetOldest()
    this.#entries.set(key, value)
  }

  #forgetOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key)
      return
    }
  }
}
