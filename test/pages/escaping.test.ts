// Nothing that a page shows becomes a part of it, whichever place it is shown in. In a browser: test/browser/browsable.test.ts.
import { describe, expect, test } from 'vitest'
import { client } from '../../src/testing.ts'
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
