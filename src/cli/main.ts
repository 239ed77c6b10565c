#!/usr/bin/env node
// Loads nothing before the version is known: an older Node would fail at the first module that it cannot read.
/** The oldest that works, as `engines` in package.json has it. */
const NEEDED = [24, 15] as const

// A reader such as `head` may stop reading: the rest of the output is dropped, and the command goes on.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

process.exitCode = isTooOld(process.versions) ? refuse() : await run()

/** Bun and Deno state the version of Node that they imitate, which says nothing about them. */
function isTooOld({ node, bun, deno }: NodeJS.ProcessVersions): boolean {
  if (bun !== undefined || deno !== undefined) return false
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])
}

function refuse(): number {
  const needed = NEEDED.join('.')
  process.stderr.write(
    `colophon: This is Node ${process.versions.node}. Colophon needs ${needed} or newer: https://nodejs.org/en/download\n`,
  )
  return 1
}

async function run(): Promise<number> {
  const { runCommand } = await import('./run-command.ts')
  return runCommand(process.argv.slice(2), {
    cwd: process.cwd(),
    input: process.stdin,
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    // Back to the margin, and clear the rest of the longer text before.
    ...(process.stderr.isTTY && {
      progress: (text: string) => process.stderr.write(`\r${text}\u001b[K`),
    }),
  })
}
