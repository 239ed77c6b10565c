// Measures that keep the sources readable, beside the wings: small files, small folders, no cycles of imports, plain words, and
// names of databases only in their own folders.
import { posix } from 'node:path'
import {
  LONGEST_FILE,
  LONGEST_STORY,
  MOST_FILES_IN_A_FOLDER,
  MOST_WITH_ONE_IMPORTER_OF_100,
  SHARED_NAMES,
  STORIES,
} from './limits.ts'
import { type Sources, readSources } from './wings.ts'

/** So many files may always have one importer. */
const FEW = 10

/** The complaints about src/, as sentences. */
export function complaintsAbout(sources: Sources): string[] {
  const files = Object.fromEntries(
    Object.entries(sources).filter(([file]) => file.startsWith('src/')),
  )
  const imports = importsIn(files)
  return [
    ...longFiles(files),
    ...crowdedFolders(Object.keys(files)),
    ...confetti(imports),
    ...sharedNames(files),
    ...rings(withoutPorts(imports)).map(
      (ring) => `${ring.join(' → ')} import each other in a ring`,
    ),
    ...lines(files, manneredWord, 'is not a plain subject'),
    ...lines(withoutDatabases(files), databaseName, 'names a database outside of storage/'),
  ]
}

function longFiles(files: Sources): string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    const length = text.split('\n').length - 1
    const most = Object.hasOwn(STORIES, file) ? LONGEST_STORY : LONGEST_FILE
    return length > most ? [`${file} has ${length} lines, more than ${most}`] : []
  })
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

/** Folders of databases implement the same ports, in files with the same names. */
function sharedNames(files: Sources): string[] {
  const byName = Map.groupBy(
    Object.entries(files).flatMap(([file, text]) =>
      [...text.matchAll(EXPORTED)].map(([, name = '']) => ({ name, file })),
    ),
    ({ name }) => name,
  )
  return [...byName].flatMap(([name, places]) => {
    const apart = [...new Set(places.map(({ file }) => file))]
    const isPort = apart.every((file) => DATABASE_FOLDER.test(file))
    if (apart.length < 2 || isPort || Object.hasOwn(SHARED_NAMES, name)) return []
    return [`${name} is exported by ${apart.join(' and ')}: give one of them another name`]
  })
}

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
const DATABASE_FOLDER = /^src\/storage\/(?!sql\/)[^/]+\//

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

/** The imports without ports: requests and policies name each other there, but ports are types, which load nothing. */
function withoutPorts(imports: Imports): Imports {
  return new Map([...imports].filter(([file]) => !file.startsWith('src/core/ports/')))
}

/** Every group of files with cyclic imports (Tarjan's strongly connected components). */
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
/** Names of databases in code; a comment may name the database that a line is about. */
const databaseName = /(?<!\/\/.*|^\s*\/?\*.*)(?:dialect ===|sqlite|postgres|mysql|mariadb)/i

/** Files that may name databases: their folders, their entry points, and the choice of one. */
const NAMING =
  /^src\/(?:storage\/|(?:sqlite|postgres|mysql)\.ts$|preset\/(?:open-database|built-in)\.ts$)/
/** The place of the default address. */
const DEFAULT_ADDRESS = {
  file: 'src/core/settings/service-keys.ts',
  address: 'sqlite:colophon.sqlite',
}

function withoutDatabases(files: Sources): Sources {
  const { file: settings, address } = DEFAULT_ADDRESS
  return Object.fromEntries(
    Object.entries(files)
      .filter(([file]) => !NAMING.test(file))
      .map(([file, text]) => [file, file === settings ? text.replaceAll(address, '') : text]),
  )
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
