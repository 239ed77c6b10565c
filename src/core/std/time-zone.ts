import { attempt } from './attempt.ts'
import { BoundedMap } from './bounded-map.ts'
import { keptIn } from './once.ts'

const DAY = 86_400_000
const DAYS_REMEMBERED = 1000
const ZONES_REMEMBERED = 100
const OFFSET = /GMT(?<sign>[+-])(?<hours>\d+):(?<minutes>\d+)(?::(?<seconds>\d+))?$/

/** Does the runtime know the zone? Names are those of the IANA (`Europe/Berlin`), and `UTC`. */
export function isTimeZone(name: string): boolean {
  return attempt(RangeError, () => new Intl.DateTimeFormat('en', { timeZone: name })) !== null
}

/** The clocks of a place. */
export class TimeZone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  /** By day since 1970: the offset of the whole day, or `null` where the clocks are changed. */
  readonly #days = new BoundedMap<number, number | null>(DAYS_REMEMBERED)

  /** @throws RangeError the runtime does not know the zone */
  constructor(name: string) {
    this.name = name
    this.#format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  }

  /** The milliseconds by which clocks are ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    const day = Math.floor(instant / DAY)
    const offset = keptIn(this.#days, day, () => {
      const [first, last] = [this.#ask(day * DAY), this.#ask((day + 1) * DAY)]
      return first === last ? first : null
    })
    return offset ?? this.#ask(instant)
  }

  /**
   * The instants at which the clocks show this time, given as if it were in UTC: none where they are put
   * forward, two where they are put back.
   */
  instantsOf(local: number): readonly number[] {
    const offsets = new Set([this.offsetAt(local - DAY), this.offsetAt(local + DAY)])
    return [...offsets]
      .map((offset) => local - offset)
      .filter((instant) => local - this.offsetAt(instant) === instant)
  }

  #ask(instant: number): number {
    const found = OFFSET.exec(this.#format.format(instant))?.groups
    if (found === undefined) return 0
    const { sign, hours, minutes, seconds = '0' } = found
    const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
    return (sign === '-' ? -1000 : 1000) * offset
  }
}

/** Zones by name: to make one costs more than to show a list with it. */
export class TimeZones {
  readonly #made = new BoundedMap<string, TimeZone | null>(ZONES_REMEMBERED)

  /** `null`: the runtime knows no such zone. */
  named(name: string): TimeZone | null {
    return keptIn(this.#made, name, () => (isTimeZone(name) ? new TimeZone(name) : null))
  }
}
