import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install } from '../../scripts/install.ts'
import { readManifest, toPublished } from '../../scripts/manifest.ts'
import { loadedBy, loadedOf } from './loaded.ts'

/** What a one-endpoint service on SQLite has no use for. */
const UNUSED = /\/(pg|mysql2|bcryptjs|commander|@fastify|kysely)\/|kysely\/dist\/migration|migrations/

const SERVICE = `
import { IsAuthenticated, TokenAuthentication, defineApi } from 'colophon'
import { serve } from 'colophon/node'
import { defineAccounts, openDatabase } from 'colophon/sqlite'

const database = openDatabase()
const { tokens } = defineAccounts({ database })
const api = defineApi({
  urls: { me: '/' },
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
})
const me = api.endpoint('me').get(({ user }) => ({ username: user.username }))
const server = await serve(api.serve([me]), { port: 0 })
`

