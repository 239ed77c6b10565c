// A browser's answer with a passkey: read within bounds, and checked by `@simplewebauthn/server`.
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON } from '@simplewebauthn/server/helpers'
import type { Passkey } from '../../core/ports/account-stores.ts'

/** Characters of an answer as JSON; the patterns below bound its parts. */
const LONGEST = 20_000
const PART = /^[\w-]{1,8000}$/
const CREDENTIAL_ID = /^[\w-]{1,1400}$/
const TRANSPORT = /^[a-z-]{1,20}$/
/** ES256, EdDSA, RS256: every device has one of them. */
export const KEY_ALGORITHMS: number[] = [-7, -8, -257]

/** The origins and the host that answers have to come from. */
export interface Expected {
  readonly expectedOrigin: string[]
  readonly expectedRPID: string
}

/** The counter of the device. `null`: the answer does not fit. The counter is compared where it is kept. */
export async function counterOf(
  expected: Expected,
  expectedChallenge: string,
  given: Parts,
  { credentialId: id, publicKey }: Passkey,
): Promise<number | null> {
  const credential = { id, publicKey: fromBase64url(publicKey), counter: 0 }
  return orNull(async () => {
    if (isFramed(given)) return null
    const response = given as Parameters<typeof verifyAuthenticationResponse>[0]['response']
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      response,
      expectedChallenge,
      credential,
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : null
  })
}

/** The passkey that a device has made. `null`: it does not fit. */
export async function madeOf(
  expected: Expected,
  expectedChallenge: string,
  given: Parts,
): Promise<(Omit<Passkey, 'handle'> & { readonly counter: number }) | null> {
  return orNull(async () => {
    if (isFramed(given) || isCertified(given)) return null
    const { registrationInfo } = await verifyRegistrationResponse({
      ...expected,
      response: given as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge,
      requireUserVerification: true,
      supportedAlgorithmIDs: KEY_ALGORITHMS,
    })
    if (registrationInfo === undefined || registrationInfo.credential.id !== given.id) return null
    const { id: credentialId, publicKey, counter } = registrationInfo.credential
    const key = Buffer.from(publicKey).toString('base64url')
    const { transports = [] } = given.response
    return { credentialId, publicKey: key, transports, counter }
  })
}

/** The answer of a browser, with those parts alone that are read. */
export interface Parts {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: object
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject?: string
    readonly authenticatorData?: string
    readonly signature?: string
    readonly userHandle?: string
    readonly transports?: readonly string[]
  }
}

const TEXTS = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
] as const

/** `null`: it is no passkey, or longer than any is. */
export function partsOf(sent: unknown): Parts | null {
  const { id, response } = Object(typeof sent === 'string' ? parsed(sent) : sent) as Partial<Parts>
  if (typeof id !== 'string' || !CREDENTIAL_ID.test(id)) return null
  const all = Object(response) as Readonly<Record<string, unknown>>
  const texts = TEXTS.flatMap((name) => (all[name] == null ? [] : [[name, all[name]] as const]))
  if (texts.some(([, text]) => typeof text !== 'string' || !PART.test(text))) return null
  const transports = (Array.isArray(all['transports']) ? all['transports'] : [])
    .slice(0, 8)
    .filter((each) => typeof each === 'string' && TRANSPORT.test(each)) as string[]
  const parts = { ...Object.fromEntries(texts), transports } as unknown as Parts['response']
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: parts }
}

function parsed(text: string): unknown {
  if (text.length > LONGEST) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Was the browser asked in a frame, within a page of another origin? */
function isFramed({ response }: Parts): boolean {
  return decodeClientDataJSON(response.clientDataJSON).crossOrigin === true
}

/**
 * Does the answer come with certificates of the device's maker? They were not asked for, and checking them would fetch
 * addresses that a stranger may have chosen.
 */
function isCertified({ response }: Parts): boolean {
  const attestation = decodeAttestationObject(fromBase64url(response.attestationObject ?? ''))
  const format = attestation.get('fmt')
  return (
    format !== 'none' &&
    (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined)
  )
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

/** `null`: the check throws, because the answer does not fit. */
async function orNull<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check()
  } catch {
    return null
  }
}
