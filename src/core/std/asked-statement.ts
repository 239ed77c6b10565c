/** A statement that a database has answered. Its values are not here. */
export interface AskedStatement {
  /** The kind of database, as OpenTelemetry calls it. */
  readonly system: string
  /** With placeholders. */
  readonly sql: string
  /** When it was asked, by `performance.now()`. */
  readonly began: number
  /** Milliseconds until the answer. */
  readonly duration: number
  /** Rows that it read or changed. */
  readonly rows: number
  /** Why it failed; `undefined`: it did not. */
  readonly error: unknown
}
