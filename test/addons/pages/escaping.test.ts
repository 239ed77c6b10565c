// Nothing that a page shows becomes a part of it, whichever place it is shown in. In a browser: test/browser/browsable.test.ts.
import { describe, expect, test } from 'vitest'
import { client } from '../../../src/testing.ts'
import { HOSTILE, hostilePaths, hostileService, strangersIn } from './hostile.ts'

describe.each(HOSTILE)('%j', (text) => {
  const http = client(hostileService(text))

  test.each(hostilePaths(text))('stays text at %s', async (path) => {
    const headers = { accept: 'text/html' }
    const { status, text: page } = await http.get(path, { headers })
    expect(status).toBeLessThan(500)
    expect(page).toMatch(/^<!doctype html>/)
    expect(strangersIn(page)).toEqual([])
  })
})

/** What is sent to a form, by what is odd about it. */
const SENT: Readonly<Record<string, Parameters<ReturnType<typeof client>['post']>[1]>> = {
  'a file with a hostile name': {
    multipart: { file: new File(['x'], `${HOSTILE[2]}.png`, { type: 'text/html' }), body: 'x' },
  },
  'names that all objects have': {
    form: { __proto__: 'x', constructor: 'x', hasOwnProperty: 'x', toString: 'x', body: 'x' },
  },
  '9,000 values of one field': { multipart: { tags: Array.from({ length: 9000 }, () => 'x') } },
  '5,000 fields': {
    form: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`<b>${at}`, HOSTILE[0]!])),
  },
  'a text of 2 MB': { multipart: { body: `${HOSTILE[0]}`.repeat(80_000) } },
  'nothing at all': { body: '', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
  'half of a form': {
    body: '--x\r\nContent-Disposition: form-data; name="body"\r\n\r\n<script>',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  },
  'JSON that is none': {
    body: `{"body": "${HOSTILE[0]}`,
    headers: { 'content-type': 'application/json' },
  },
  'JSON in JSON': { json: { body: { [HOSTILE[0]!]: [{ [HOSTILE[2]!]: null }] }, choice: [[]] } },
  'a list in place of an object': { json: [HOSTILE[0], { __proto__: null }] },
  'JSON 10,000 columns wide': {
    json: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, HOSTILE[0]])),
  },
  'JSON 90 levels deep': {
    body: `{"body": ${'['.repeat(90)}"${HOSTILE[0]}"${']'.repeat(90)}}`,
    headers: { 'content-type': 'application/json' },
  },
  'a type of no parser': { body: HOSTILE[0]!, headers: { 'content-type': 'text/html' } },
}

test.each(Object.entries(SENT))('a form is answered by a page: %s', async (_, sent) => {
  const { post } = client(hostileService(HOSTILE[2]!))
  const headers = { ...sent?.headers, accept: 'text/html' }
  const { status, text: page } = await post('/form/', { ...sent, headers })
  expect(status).toBeLessThan(500)
  expect(page).toMatch(/^<!doctype html>/)
  expect(strangersIn(page)).toEqual([])
})

test('what is looked for is found', () => {
  for (const text of [
    '<script>',
    '<i onclick="x">',
    '<a href="javascript:x">',
    '<a href="//x">',
    '<',
  ])
    expect(strangersIn(`<p>${text}</p>`)).not.toEqual([])
})
