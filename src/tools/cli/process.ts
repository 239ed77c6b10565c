// Loads nothing before the version is known: an older Node would fail at the first module that it cannot read.
/** The oldest that works, as `engines` in package.json has it. */
const NEEDED = [24, 15] as const

/** Loads the module that runs commands, once the version is known. */
type Load = () => Promise<Pick<typeof import('./commands.ts'), 'runCommand'>>

/** Runs one command in this process, and leaves its exit status. */
export async function runHere(args: readonly string[], load: Load): Promise<void> {
  // A reader such as `head` may stop reading: the rest of the output is dropped, and the command goes on.
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  process.exitCode = isTooOld(process.versions) ? refuse() : await run(args, load)
}

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

/**
 * Node reads what it has compiled before, which makes a command start in about two thirds of the time. It is kept in
 * the folder of this package: who may write there could change the package too. Without that right, and in a runtime
 * without such a cache, a command starts as it did.
 */
async function keepCompiled(): Promise<void> {
  const { enableCompileCache, findPackageJSON }: Partial<typeof import('node:module')> =
    await import('node:module')
  const manifest = findPackageJSON?.('.', import.meta.url)
  if (manifest !== undefined) enableCompileCache?.(`${manifest}/../node_modules/.cache/node`)
}

async function run(args: readonly string[], load: Load): Promise<number> {
  await keepCompiled()
  const { runCommand } = await load()
  const { styleText } = await import('node:util')
  const { stdin: input, stdout, stderr } = process
  // Some terminals, such as those of containers, first report a width of zero, in which no text fits.
  for (const screen of [stdout, stderr])
    if (screen.isTTY && screen.columns === 0) Object.assign(screen, { columns: 80, rows: 24 })
  return runCommand(args, {
    cwd: process.cwd(),
    input,
    print: (line) => stdout.write(`${line}\n`),
    complain: (line) => stderr.write(`${line}\n`),
    columns: stdout.isTTY ? stdout.columns : null,
    screen: stderr.isTTY ? stderr : null,
    styled: (style, text) => styleText(style, text, { stream: stdout }),
  })
}
