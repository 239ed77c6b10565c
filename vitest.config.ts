import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [],
    globalSetup: ['test/setup/servers.ts'],
    pool: 'threads',
    isolate: false,
    allowOnly: false,
    testTimeout: 20_000,
    reporters: ['default', './scripts/reporter.ts'],
  },
})
