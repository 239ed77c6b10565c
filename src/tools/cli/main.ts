#!/usr/bin/env node
import { runHere } from './process.ts'

await runHere(process.argv.slice(2), () => import('./commands.ts'))
