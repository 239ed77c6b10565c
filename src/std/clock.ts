/** Where the time comes from. Everything that reads it takes one as a parameter. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}
