/** What is logged of something thrown: its stack, or its text. Never throws, whatever it is. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } catch {
    // `Object.create(null)`, or a getter that throws.
    return 'an error that has no text'
  }
}
