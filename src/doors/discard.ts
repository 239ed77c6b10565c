/** Ends a stream that is not sent. It may have broken already, and `cancel()` may throw or reject. */
export function discard(body: ReadableStream, failed: (error: unknown) => void): void {
  new Promise((resolve) => resolve(body.cancel())).catch(failed)
}
