#!/usr/bin/env node
import { runCommand } from './run-command.ts'

// A reader such as `head` may stop reading: the rest of the output is dropped, and the command goes on.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  input: process.stdin,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  // Back to the margin, and clear the rest of the longer text before.
  ...(process.stderr.isTTY && {
    progress: (text: string) => process.stderr.write(`\r${text}\u001b[K`),
  }),
})
