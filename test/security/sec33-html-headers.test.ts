// SEC33: a page of ours runs, frames, sniffs and fetches nothing foreign. More: test/security/finding-10-html-headers.test.ts.
import { expect, test } from 'vitest'
import { attacked } from './service.ts'

const { get } = await attacked()

test.each([
  ['a page of data', '/open/'],
  ['an error', '/nothing/'],
  ['a refusal', '/notes/'],
  ['the login', '/login/'],
])('%s', async (_, path) => {
  const { header, text } = await get(path, { headers: { accept: 'text/html' } })
  expect(header('content-type')).toMatch(/^text\/html/)
  expect(header('content-security-policy')).toMatch(/default-src 'none'/)
  expect(header('content-security-policy')).toMatch(/frame-ancestors 'none'/)
  expect(header('x-frame-options')).toBe('DENY')
  expect(header('x-content-type-options')).toBe('nosniff')
  expect(header('referrer-policy')).toMatch(/^(?:same-origin|no-referrer)$/)
  // Nothing is loaded from anywhere else.
  expect(text).not.toMatch(/(?:src|href|action)\s*=\s*["']?(?:https?:)?\/\//i)
  expect(/<style>[^]*<\/style>/.exec(text)?.[0]).not.toMatch(/@import|url\(/i)
})
