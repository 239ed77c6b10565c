/**
 * Texts that go out to clients and come back: only this service can make them, and only it can read
 * them. The keys come from the service's secret, and old secrets still open what they sealed.
 */
export interface Seals {
  /** URL-safe. It opens again only in the same `context`. */
  seal(context: string, text: string): string
  /** `null`: changed, made elsewhere, or for another context. */
  unseal(context: string, sealed: string): string | null
}
