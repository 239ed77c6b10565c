import type { Duplex } from 'node:stream'

interface Refusal {
  readonly status: string
  readonly detail: string
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'The headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: 'The request took too long to arrive.',
  },
}
const MALFORMED: Refusal = {
  status: '400 Bad Request',
  detail: 'This is not a well-formed HTTP request.',
}

/** Answers what never became a request: JSON like every other error (I12), then the connection ends. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  id: string | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...(id === undefined ? [] : [`X-Request-Id: ${id}`]),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
