// What a page takes with it that asks by `colophon/client`.
import { brotliCompressSync } from 'node:zlib'
import { relative } from 'node:path'
import { type OutputChunk, rolldown } from 'rolldown'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/run.ts'

const MOST_BYTES = 6000

let chunk: OutputChunk
beforeAll(async () => {
  const build = await rolldown({ cwd: root, input: 'src/client.ts', platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  expect(output).toHaveLength(1)
  chunk = output[0]
})

test(`is at most ${MOST_BYTES} bytes, compressed`, () => {
  const { byteLength } = brotliCompressSync(chunk.code)
  expect(byteLength).toBeLessThanOrEqual(MOST_BYTES)
  expect(byteLength).toBeGreaterThan(1000)
})

test('is the client alone: no other room, no package, and nothing of Node', () => {
  const files = Object.keys(chunk.modules).map((file) => relative(root, file))
  expect(files.filter((file) => !/^src\/client[./]/.test(file))).toEqual([])
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([])
  expect(chunk.code).not.toMatch(/\b(?:process|Buffer|require)\b/)
})
