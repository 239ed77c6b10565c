#!/usr/bin/env node
import { runCommand } from './run-command.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  input: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
})
