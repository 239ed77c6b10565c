import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../contract/temporary.ts'

const PROGRAM = `
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { HashQueue } from './src/accounts/passwords/hash-queue.ts'
import { PasswordHasher } from './src/accounts/passwords/password-hasher.ts'
const { argon2 } = crypto
let hashes = 0
crypto.argon2 = (...given) => {
  hashes++
  return argon2(...given)
}
syncBuiltinESMExports()
const hasher = new PasswordHasher({
  cost: { memory: 8, passes: 1, parallelism: 1 },
  queue: new HashQueue(),
  onError: (error) => console.log(error.name + ': ' + error.message),
})
const encoded = 'bcrypt$$2b$04$LZSJchsWG/DrBy1erNs4ee31eJ7DaWiuwhDOC7aqIyqGGggfu6Y/.'
const stored = await hasher.encode('wonderland')
for (const one of [encoded, stored, null]) {
  hashes = 0
  console.log(await hasher.verify('wonderland', one), hashes)
}
delete crypto.argon2
syncBuiltinESMExports()
await hasher.encode('wonderland').catch((error) => console.log(error.name + ': ' + error.message))
`

test('where bcryptjs is not installed, its hashes fit nothing, and the log says what to do', async () => {
  const directory = temporaryDirectory()
  // Away from the packages of this repository.
  cpSync('src', join(directory, 'src'), { recursive: true })
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  await once(child, 'close')
  const [error, ...verdicts] = output.trim().split('\n')
  // Nor is anything else that hashes.
  expect(verdicts.pop()).toBe(
    'ConfigurationError: Passwords need argon2 of node:crypto: run Node 24.15 or newer, or npm install @node-rs/argon2',
  )
  expect(error).toMatch(/^ConfigurationError: .*npm install bcryptjs$/)
  // I5: the work is done all the same.
  expect(verdicts).toEqual(['unreadable 1', 'fits 1', 'differs 1'])
})
