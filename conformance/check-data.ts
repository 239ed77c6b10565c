// Says whether the copies in data/ are those of ../shared/conformance, beside the checkout.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATA } from './data.ts'

const published = join(import.meta.dirname, '..', '..', 'shared', 'conformance')

if (existsSync(published)) tell(differences())
else console.log(`There is no ${published} to compare with.`)

function differences(): string[] {
  const [ours, theirs] = [filesOf(DATA), filesOf(published)]
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .toSorted()
    .flatMap((file) => differenceOf(file, ours.get(file), theirs.get(file)) ?? [])
}

function filesOf(folder: string): ReadonlyMap<string, Buffer> {
  const files = globSync(['*.{md,json,mjs}', 'cases/*.json'], { cwd: folder })
  return new Map(files.map((file) => [file, readFileSync(join(folder, file))]))
}

function differenceOf(file: string, ours?: Buffer, theirs?: Buffer): string | null {
  if (ours === undefined) return `${file} is missing`
  if (theirs === undefined) return `${file} is not among the published files`
  return ours.equals(theirs) ? null : `${file} differs`
}

function tell(found: readonly string[]): void {
  for (const difference of found) console.log(difference)
  console.log(found.length === 0 ? 'The data is as published.' : `${found.length} files differ.`)
  process.exitCode = found.length === 0 ? 0 : 1
}
