#!/usr/bin/env node
// The command under the name that it has in DRF: `npx drf_create_token alice`.
import { runHere } from './process.ts'

await runHere(['drf_create_token', ...process.argv.slice(2)], () => import('./commands.ts'))
