import { deriveKey } from './derive-key.ts'
import { Seal } from './seal.ts'

/**
 * Seals with the first of the secrets; what any of them sealed still opens. The secrets are asked for
 * on the first use, and never again.
 */
export class SecretSeals {
  readonly #secrets: () => readonly string[]
  #made: readonly Seal[] | null = null

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets
  }

  seal(context: string, text: string): string {
    return this.#ring()[0]!.seal(context, text)
  }

  unseal(context: string, sealed: string): string | null {
    for (const seal of this.#ring()) {
      const text = seal.unseal(context, sealed)
      if (text !== null) return text
    }
    return null
  }

  #ring(): readonly Seal[] {
    return (this.#made ??= this.#secrets().map(sealUnder))
  }
}

function sealUnder(secret: string): Seal {
  return new Seal(deriveKey(secret, 'sealed texts: mac'), deriveKey(secret, 'sealed texts: cipher'))
}
