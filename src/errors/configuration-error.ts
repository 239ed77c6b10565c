/** The service refuses to start. The message names the endpoint, the key or the layer, and the fix. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** No address fits what `reverse` was asked for. A mistake in the program, never of a client. */
export class NoReverseMatch extends Error {
  override readonly name = 'NoReverseMatch'
  /** Is there an address that takes these parameters, and not these values? */
  readonly isOfValue: boolean

  constructor(message: string, isOfValue = false) {
    super(message)
    this.isOfValue = isOfValue
  }
}
