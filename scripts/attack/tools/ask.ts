import { type IncomingMessage, request } from 'node:http'

/** Milliseconds after which a request counts as hanging. */
const PATIENCE = 15_000

/** One ordinary request. */
export interface Question {
  /** @default GET */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body, sent as JSON. */
  readonly json?: unknown
  /** The body in JSON that is already text. */
  readonly text?: string
  /** The address of the client. @default 127.0.0.1 */
  readonly from?: string
}

/** The answer to a question. */
export interface Answer {
  /** 0: the connection broke (`reset`), or no answer came in time (`hang`). */
  readonly status: number
  readonly outcome: 'answered' | 'reset' | 'hang'
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly milliseconds: number
}

/** Sends a request on its own connection; never rejects. */
export function ask(url: string, question: Question = {}): Promise<Answer> {
  const { method = 'GET', json, from = '127.0.0.1' } = question
  const text = json === undefined ? question.text : JSON.stringify(json)
  const body = text === undefined ? null : Buffer.from(text)
  const headers = {
    ...(body === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }),
    ...question.headers,
  }
  const begun = performance.now()
  return new Promise((resolve) => {
    const settle = (answer: Partial<Answer>): void =>
      resolve({ ...NOTHING, ...answer, milliseconds: performance.now() - begun })
    const asking = request(
      url,
      { method, headers, agent: false, localAddress: from },
      (response) => {
        let received = ''
        response.setEncoding('utf8').on('data', (part: string) => (received += part))
        const { statusCode: status = 0, headers: answered } = response
        response.once('end', () =>
          settle({ status, outcome: 'answered', headers: answered, text: received }),
        )
        response.once('error', () => settle({ status }))
      },
    )
    asking.once('error', () => settle({}))
    asking.setTimeout(PATIENCE, () => {
      settle({ outcome: 'hang' })
      asking.destroy()
    })
    asking.end(body)
  })
}

const NOTHING: Answer = { status: 0, outcome: 'reset', headers: {}, text: '', milliseconds: 0 }
