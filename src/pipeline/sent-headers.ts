/** Headers on their way out: name and value in turn. */

/** What is said already stays. */
export function addMissing(sent: string[], name: string, value: string): void {
  if (placeOf(name, sent) < 0) sent.push(name, value)
}

/** For headers that are lists. */
export function addToList(sent: string[], name: string, value: string): void {
  const place = placeOf(name, sent)
  if (place < 0) sent.push(name, value)
  else sent[place + 1] += `, ${value}`
}

function placeOf(name: string, sent: readonly string[]): number {
  const wanted = name.toLowerCase()
  return sent.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === wanted)
}
