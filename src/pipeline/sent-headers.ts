/** The headers of an answer, in the order in which they are sent. */
export class SentHeaders {
  /** Name and value in turn, as doors take them. */
  readonly flat: string[] = []

  add(name: string, value: string): void {
    this.flat.push(name, value)
  }

  /** Leaves a header alone that is there already. */
  addMissing(name: string, value: string): void {
    if (this.#placeOf(name) < 0) this.add(name, value)
  }

  /** Adds an item to a header that is a list. */
  addToList(name: string, item: string): void {
    const place = this.#placeOf(name)
    if (place < 0) return this.add(name, item)
    this.flat[place + 1] = `${this.flat[place + 1]}, ${item}`
  }

  #placeOf(name: string): number {
    const wanted = name.toLowerCase()
    return this.flat.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === wanted)
  }
}
