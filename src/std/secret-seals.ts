import { Sealer } from './sealer.ts'

/**
 * Seals with the first of the secrets; what any of them sealed still opens. The secrets are asked for
 * on the first use, and never again.
 */
export class SecretSeals {
  readonly #secrets: () => readonly string[]
  #sealers: readonly Sealer[] | null = null

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets
  }

  seal(context: string, text: string): string {
    return this.#ring()[0]!.seal(context, text)
  }

  unseal(context: string, sealed: string): string | null {
    for (const sealer of this.#ring()) {
      const text = sealer.unseal(context, sealed)
      if (text !== null) return text
    }
    return null
  }

  #ring(): readonly Sealer[] {
    return (this.#sealers ??= this.#secrets().map((secret) => new Sealer(secret)))
  }
}
