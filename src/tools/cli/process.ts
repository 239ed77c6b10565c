// Loads nothing before the version is known: an older Node would fail at the first module that it cannot read.
/** The oldest that works, as `engines` in package.json has it. */
const NEEDED = [24, 15] as const

/** Loads the module that runs commands, once the version is known. */
type Load = () => Promise<Pick<typeof import('./commands.ts'), 'runCommand'>>

/** Runs one command in this process, and leaves its exit status. */
export async function runHere(args: readonly string[], load: Load): Promise<void> {
  const outputs = [process.stdout, process.stderr]
  let lost = 0
  for (const output of outputs)
    output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      // A reader such as `head` may stop reading: the rest of the output is dropped, and the command goes on.
      if (code !== 'EPIPE' && lost++ === 0) complain(`Cannot print all: ${message}`)
    })
  process.once('exit', (code) => {
    if (code !== UNSETTLED) return
    process.exitCode = 1
    complain('The application never loads: an await at the top of a module has no end.')
  })
  const status = isTooOld(process.versions) ? refuse() : await run(args, load)
  for (const output of outputs) await new Promise((read) => output.write('', read))
  process.exitCode = status || Math.min(lost, 1)
  // What the application has left open, such as a connection, does not keep the process.
  setTimeout(() => process.exit(), 1000).unref()
}

/** Node's status where a top-level `await` never ends. */
const UNSETTLED = 13

function complain(problem: string): void {
  process.stderr.write(`colophon: ${problem}\n`)
}

/** Bun and Deno state the version of Node that they imitate, which says nothing about them. */
function isTooOld({ node, bun, deno }: NodeJS.ProcessVersions): boolean {
  if (bun !== undefined || deno !== undefined) return false
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])
}

function refuse(): number {
  const needed = NEEDED.join('.')
  complain(
    `This is Node ${process.versions.node}. Colophon needs ${needed} or newer: https://nodejs.org/en/download`,
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
