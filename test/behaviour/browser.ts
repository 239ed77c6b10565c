import { type Answer, type Door, type More, toSent } from './doors.ts'

/** What a browser does with cookies: it keeps those that are set, and sends them along. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #door: Door

  constructor(door: Door) {
    this.#door = door
  }

  /** Asks a question such as `POST /login/`. */
  async ask(question: string, more: More = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...more.headers }
    const answer = await this.#door.send(toSent(question, { ...more, headers }))
    for (const line of answer.cookies) this.#keep(line)
    return answer
  }

  cookie(name: string): string {
    return this.cookies.get(name) ?? ''
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** The attributes of the cookie that an answer sets; `null`: it sets none of that name. */
export function setCookie(answer: Answer, name: string): readonly string[] | null {
  const line = answer.cookies.find((each) => each.startsWith(`${name}=`))
  return line === undefined ? null : line.split('; ').slice(1)
}

/** The token in the form of a page. */
export function tokenIn({ text }: Answer): string {
  return /name="csrfmiddlewaretoken"[^>]*value="([^"]+)"/.exec(text)?.[1] ?? ''
}
