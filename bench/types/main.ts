// What the types of a large application cost the compiler. Fails above the budget.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run.ts'
import { size, writeApplication } from './application.ts'

/** Type instantiations for everything, the library's own source included. */
const budget = 150_000

const folder = join(root, '.types-budget')

write()
const report = compile()
const instantiations = Number(figure(report, 'Instantiations'))
console.log(
  `${size.routes} routes, ${size.endpoints} endpoints: ` +
    `${instantiations.toLocaleString('en')} instantiations (budget ${budget.toLocaleString('en')}), ` +
    `${figure(report, 'Memory used')}, ${figure(report, 'Total time')}`,
)
if (!(instantiations <= budget)) process.exitCode = 1

function write(): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const project = { extends: '../tsconfig.base.json', include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  for (const [file, text] of Object.entries(writeApplication())) {
    writeFileSync(join(folder, file), text)
  }
}

/**
 * One checker: several would each count the types they share. An application that does not compile
 * ends the bench with the compiler's first words.
 */
function compile(): string {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', folder, '--singleThreaded', '--extendedDiagnostics', '--pretty', 'false'],
    { encoding: 'utf8', maxBuffer: 100_000_000 },
  )
  if (status === 0) return stdout
  throw new Error(`The application does not compile:\n${stdout.slice(0, 2000)}`)
}

function figure(diagnostics: string, name: string): string {
  const found = new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(diagnostics)?.[1]
  if (found === undefined) throw new Error(`The compiler did not say "${name}".`)
  return found
}
