#!/usr/bin/env node
import { runCommand } from './run-command.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  input: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  // Back to the margin, and nothing of the longer text before is left.
  ...(process.stderr.isTTY && {
    progress: (text: string) => process.stderr.write(`\r${text}\u001b[K`),
  }),
})
