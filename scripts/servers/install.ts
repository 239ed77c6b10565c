// `node scripts/servers/install.ts`: brings the servers and the browser that tests need, where they are missing. First,
// so that nothing is measured while packages are unpacked.
import { CHROMIUM } from './chromium.ts'
import { MARIADB } from './mariadb.ts'
import { NGINX } from './nginx.ts'
import { POSTGRES } from './postgres.ts'
import { pathOf } from './programs.ts'
import { REDIS } from './redis.ts'

for (const program of [POSTGRES, MARIADB, REDIS, NGINX, CHROMIUM]) await pathOf(program)
