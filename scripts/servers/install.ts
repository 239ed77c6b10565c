// Installs the servers and the browser that tests need, if they are missing.
import { CHROMIUM } from './chromium.ts'
import { HAPROXY } from './haproxy.ts'
import { MARIADB } from './mariadb.ts'
import { NGINX } from './nginx.ts'
import { PGBOUNCER } from './pgbouncer.ts'
import { POSTGRES } from './postgres.ts'
import { BUILDAH, type Program, bring, pathOf } from './programs.ts'
import { PROMETHEUS } from './prometheus.ts'
import { CRYPTOGRAPHY, YAML } from './python.ts'
import { REDIS } from './redis.ts'

/** The programs by their names in scripts/needs.ts. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  PostgreSQL: POSTGRES,
  MariaDB: MARIADB,
  Redis: REDIS,
  PgBouncer: PGBOUNCER,
  nginx: NGINX,
  HAProxy: HAPROXY,
  Prometheus: PROMETHEUS,
  buildah: BUILDAH,
  Chromium: CHROMIUM,
  'cryptography of Python': CRYPTOGRAPHY,
  'YAML of Python': YAML,
}

/** The reasons why programs could not be installed, by name. */
export async function bringAll(): Promise<ReadonlyMap<string, string>> {
  const missing = new Map<string, string>()
  // If that fails, each of them says why.
  await bring(Object.values(PROGRAMS)).catch(() => undefined)
  for (const [name, program] of Object.entries(PROGRAMS)) {
    try {
      await pathOf(program)
    } catch (error) {
      const [reason] = (error as Error).message.trim().split('\n')
      missing.set(name, `${reason}. On Debian: apt-get install ${program.packages.join(' ')}`)
    }
  }
  return missing
}
