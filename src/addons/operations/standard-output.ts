// Lines on standard output, which wait for each other: a write costs more than ten lines.

export type LogValue = string | number | boolean | null
export type LogLine = Readonly<Record<string, LogValue>>
type Level = 'info' | 'error'

/** Failures of the service are errors. */
export function levelOf(status: number): Level {
  return status >= 500 ? 'error' : 'info'
}

export function logFormatOf({ isTTY }: { readonly isTTY: boolean }): 'json' | 'text' {
  return isTTY ? 'text' : 'json'
}

/** Bytes after which lines are written, and milliseconds for which they wait otherwise. */
const [FULL, PAUSE] = [16_384, 100]
/** Bytes that may wait for a reader of standard output; lines beyond them are lost, and counted. */
const MOST = 4 * 1024 * 1024

/** Lines on standard output, several with one write. */
export class Lines {
  readonly #format: 'json' | 'text'
  #text = ''
  #lost = 0
  #now = 0
  #shown = ''
  #timer: NodeJS.Timeout | null = null

  constructor(format: 'json' | 'text') {
    this.#format = format
  }

  readonly info = (line: LogLine): void => this.#addObject('info', line)
  readonly error = (line: LogLine): void => this.#addObject('error', line)

  #addObject(level: Level, line: LogLine): void {
    if (this.#format === 'json')
      this.add(`,"level":"${level}",${JSON.stringify(line).slice(1, -1)}`)
    else this.#addText(`${new Date().toISOString()} ${readable(line)}\n`)
  }

  /** `members`: as JSON, with a comma in front of each. */
  add(members: string): void {
    this.#addText(`${this.#begin()}${members}}\n`)
  }

  #addText(text: string): void {
    this.#text += text
    if (this.#text.length >= FULL) this.#flush()
    else this.#timer ??= this.#later()
  }

  /** Made once a millisecond. */
  #begin(): string {
    const now = Date.now()
    if (now !== this.#now) this.#shown = `{"time":"${new Date((this.#now = now)).toISOString()}"`
    return this.#shown
  }

  #later(): NodeJS.Timeout {
    process.once('exit', this.#flush)
    return setTimeout(this.#flush, PAUSE).unref()
  }

  readonly #flush = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    process.off('exit', this.#flush)
    const text = this.#text
    this.#text = ''
    if (process.stdout.writableLength > MOST) this.#lost += text.split('\n').length - 1
    else process.stdout.write(this.#lost === 0 ? text : text + this.#lostLine())
  }

  #lostLine(): string {
    const line = JSON.stringify({ level: 'error', event: 'request.lines_lost', count: this.#lost })
    this.#lost = 0
    return `${line}\n`
  }
}

/** `GET article-list v1 → 200 in 3.2 ms, 1204 bytes, 25 rows of 2 statements in 1.1 ms, user 7 by TokenAuthentication [5f0c-1]` */
function readable(line: LogLine): string {
  const { event: _, id, trace, method, route, version, scheme, user, status, bytes, ...more } = line
  const { duration, rows, statements, database, ...own } = more
  const at = version === null ? '' : ` ${version}`
  const who = user === null ? '' : `, user ${user} by ${scheme}`
  const asked =
    statements === 0 ? '' : `, ${rows} rows of ${statements} statements in ${database} ms`
  const rest = Object.entries(own).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const ids = trace === null ? id : `${id} ${trace}`
  return `${method ?? 'no request'} ${route ?? 'no address'}${at} → ${status} in ${duration} ms, ${bytes} bytes${asked}${who} [${ids}]${rest.join('')}`
}
