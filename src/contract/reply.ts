/** An answer before anyone has rendered it. `data: null` is an answer without a body. */
export interface Reply<Data = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly data: Data
  /** Replaces the renderer's own `Content-Type`. */
  readonly contentType?: string
}
