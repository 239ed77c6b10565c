// What keeps the house readable, beside the floors: small files, rooms that can be held in mind, no rings of
// imports, plain words, and databases that only their own folders know by name.
import { posix } from 'node:path'
import { type Sources, readSources } from './floors.ts'

const LONGEST_FILE = 350
const MOST_FILES_IN_A_FOLDER = 16
/** A file with one importer often belongs into it; some have a life of their own. Of a hundred files, so that the bound
 *  stays as strict when rooms are added. */
const MOST_WITH_ONE_IMPORTER_OF_100 = 20.8
/** So few are no confetti. */
const FEW = 10

/** What is wrong with src/, as sentences. */
export function complaintsAbout(sources: Sources): string[] {
  const files = Object.fromEntries(
    Object.entries(sources).filter(([file]) => file.startsWith('src/')),
  )
  const imports = importsIn(files)
  return [
    ...longFiles(files),
    ...crowdedFolders(Object.keys(files)),
    ...confetti(imports),
    ...rings(imports).map((ring) => `${ring.join(' → ')} import each other in a ring`),
    ...lines(files, manneredWord, 'is not a plain subject'),
    ...lines(withoutDatabases(files), databaseName, 'names a database outside of databases/'),
  ]
}

function longFiles(files: Sources): string[] {
  return Object.entries(files)
    .map(([file, text]) => ({ file, length: text.split('\n').length - 1 }))
    .filter(({ length }) => length > LONGEST_FILE)
    .map(({ file, length }) => `${file} has ${length} lines, more than ${LONGEST_FILE}`)
}

function crowdedFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => posix.dirname(file))
  return [...folders]
    .filter(([folder, inside]) => folder !== 'src' && inside.length > MOST_FILES_IN_A_FOLDER)
    .map(
      ([folder, { length }]) =>
        `${folder} has ${length} files, more than ${MOST_FILES_IN_A_FOLDER}`,
    )
}

function confetti(imports: Imports): string[] {
  const importers = [...imports.keys()].map(
    (file) => [...imports.values()].filter((targets) => targets.has(file)).length,
  )
  const count = importers.filter((importer) => importer === 1).length
  const most = Math.max(FEW, Math.floor((imports.size * MOST_WITH_ONE_IMPORTER_OF_100) / 100))
  if (count <= most) return []
  return [`${count} files have one importer, more than ${most} of ${imports.size}`]
}

type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** The files that each file imports, types included. */
function importsIn(files: Sources): Imports {
  const form = /(?:^(?:import|export)\s[^'"`;]*?from\s*|^import\s+|\bimport\(\s*)'(\.[^']+)'/gm
  return new Map(
    Object.entries(files).map(([file, text]) => {
      const targets = [...text.matchAll(form)].map(([, path = '']) =>
        posix.join(posix.dirname(file), path),
      )
      return [file, new Set(targets.filter((target) => target in files))]
    }),
  )
}

/** Every group of files that import each other, directly or not (Tarjan's strongly connected components). */
function rings(imports: Imports): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    let low = order.size - 1
    open.push(file)
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (open.includes(target)) low = Math.min(low, order.get(target)!)
    }
    lowest.set(file, low)
    if (low === order.get(file)) found.push(open.splice(open.indexOf(file)))
    return low
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return found.filter(({ length }) => length > 1)
}

/** Words that hide who does what, in comments, messages and names. */
const manneredWord = /\b(?:nobody|whoever|whomever|somebody|anybody|everybody|said|told|heard)\b/i
const databaseName = /dialect ===|'sqlite'|'postgres'|'mysql'/

/** The front doors of the databases carry their names. */
function withoutDatabases(files: Sources): Sources {
  const allowed = /^src\/(?:databases\/|(?:sqlite|postgres|mysql)\.ts$)/
  return Object.fromEntries(Object.entries(files).filter(([file]) => !allowed.test(file)))
}

function lines(files: Sources, pattern: RegExp, complaint: string): string[] {
  return Object.entries(files).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, at) => {
      const found = pattern.exec(line)
      return found ? [`${file}:${at + 1} "${found[0]}" ${complaint}`] : []
    }),
  )
}

if (import.meta.main) {
  const found = complaintsAbout(readSources())
  for (const each of found) console.error(each)
  process.exitCode = found.length === 0 ? 0 : 1
}
