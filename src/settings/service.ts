/** Settings of the whole service: what one endpoint cannot have otherwise than another. */
export interface ServiceSettings {
  /** `sqlite:PATH`, relative to the working directory or absolute. */
  readonly databaseUrl: string
  /** Seals tokens and signs what leaves the service. `null`: not said. */
  readonly secretKey: string | null
  /** Hosts this service answers to; `.example.com` admits every subdomain too, `*` admits all. */
  readonly allowedHosts: readonly string[]
  /** What generated links begin with, instead of the scheme and host of the request. */
  readonly publicUrl: string | null
  /** Largest request body, in bytes. */
  readonly dataUploadMaxMemorySize: number
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
}

export interface ServiceKey {
  readonly key: Uppercase<string>
  /** Also read from the environment without the prefix. */
  readonly plain?: boolean
  /** A text in place of a list is a list of one, or of its comma-separated parts. */
  readonly list?: boolean
  readonly wants: string
  fits(value: unknown): boolean
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535
const isBytes = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Keys of the whole service, and what each may say. */
export const SERVICE_KEYS: { readonly [K in keyof ServiceSettings]: ServiceKey } = {
  databaseUrl: {
    key: 'DATABASE_URL',
    plain: true,
    wants: 'a text such as "sqlite:colophon.sqlite"',
    fits: isText,
  },
  secretKey: { key: 'SECRET_KEY', plain: true, wants: 'a text that is not empty', fits: isText },
  allowedHosts: { key: 'ALLOWED_HOSTS', list: true, wants: 'a list of host names', fits: isTexts },
  publicUrl: {
    key: 'PUBLIC_URL',
    wants: 'an address without a path, such as "https://api.example.com"',
    fits: (value) => value === null || (isText(value) && isOrigin(value as string)),
  },
  dataUploadMaxMemorySize: {
    key: 'DATA_UPLOAD_MAX_MEMORY_SIZE',
    wants: 'a number of bytes',
    fits: isBytes,
  },
  host: { key: 'HOST', plain: true, wants: 'an address to listen on', fits: isText },
  port: { key: 'PORT', plain: true, wants: 'a number from 0 to 65535', fits: isPort },
}

export const SERVICE_DEFAULTS: ServiceSettings = Object.freeze({
  databaseUrl: 'sqlite:colophon.sqlite',
  secretKey: null,
  allowedHosts: Object.freeze(['localhost', '.localhost', '127.0.0.1', '[::1]']),
  publicUrl: null,
  dataUploadMaxMemorySize: 2_621_440,
  host: '127.0.0.1',
  port: 8000,
})

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username } = new URL(text)
  return (
    /^https?:$/.test(protocol) &&
    pathname === '/' &&
    search === '' &&
    hash === '' &&
    username === ''
  )
}
