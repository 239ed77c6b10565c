import type { Program } from './programs.ts'

/** AES-SIV of OpenSSL for Python: what opens the texts that we seal without a line of ours. */
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

/** Debian's, which has Debian's packages, whatever else the PATH has. */
export const PYTHON = '/usr/bin/python3'
