/** Tables changed after a statement was prepared, and within its transaction it cannot be prepared anew. */
export class OutdatedPlan extends Error {
  constructor(cause: Error) {
    super(
      'The tables have changed since this statement was prepared. Begin its transaction again.',
      { cause },
    )
  }
}
