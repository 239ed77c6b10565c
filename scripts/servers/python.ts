import type { Program } from './programs.ts'

/** AES-SIV of OpenSSL for Python, which opens our sealed texts without a line of our code. */
export const CRYPTOGRAPHY: Program = {
  name: 'aead.py',
  packages: ['python3', 'python3-cryptography'],
  folders: '/usr/lib/python3/dist-packages/cryptography/hazmat/primitives/ciphers',
}

/** Reads YAML, for the files of `deploy`. */
export const YAML: Program = {
  name: 'loader.py',
  packages: ['python3', 'python3-yaml'],
  folders: '/usr/lib/python3/dist-packages/yaml',
}

/** Debian's Python, which has Debian's packages, whatever the PATH contains. */
export const PYTHON = '/usr/bin/python3'
