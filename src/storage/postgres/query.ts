// The one file that leans on what `pg` does not document: statements whose rows are left as the texts that came.
// docs/dependencies.md has its parts, and the figures for which it is kept.
import { oncePer } from '../../core/std/once.ts'

/** A statement, as `pg` takes it; one with a name is prepared once on each connection. */
export interface PostgresQuery {
  readonly text: string
  readonly values: unknown[]
  readonly rowMode: 'array'
  readonly name?: string
}

/** What a statement found. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: unknown[][]
  readonly fields: readonly PostgresField[]
}

/** A column of what was found, with numbers from the catalogue; those of a computed column are 0. */
export interface PostgresField {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}

type Done = (error: Error | null, result: Pick<PostgresResult, 'command' | 'rowCount'>) => void

type QueryClass = new (text: string, values: unknown[], done: Done) => { name?: string | undefined }

interface TextQuery {
  readonly found: unknown[][]
  readonly columns: readonly PostgresField[]
}

type TextQueryClass = new (query: PostgresQuery, done: Done) => TextQuery

/** A query whose rows are left as they came: nothing is parsed, and there is no event for each of them. */
function leavingTexts(Query: QueryClass): TextQueryClass {
  return class extends Query implements TextQuery {
    readonly found: unknown[][] = []
    columns: readonly PostgresField[] = []

    constructor({ name, text, values }: PostgresQuery, done: Done) {
      super(text, values, done)
      this.name = name
    }

    handleRowDescription({ fields }: { readonly fields: readonly PostgresField[] }): void {
      this.columns = fields
    }

    handleDataRow(message: { readonly fields: unknown[] }): void {
      this.found.push(message.fields)
    }
  }
}

/** `null`: the class of the client is not that of `pg` in JavaScript. */
function textQueryOf(clientClass: object): TextQueryClass | null {
  const { Query } = clientClass as { readonly Query?: QueryClass }
  const own: unknown = Query?.prototype
  const isKnown =
    own instanceof Object && ['handleDataRow', 'handleRowDescription'].every((name) => name in own)
  return isKnown ? leavingTexts(Query!) : null
}

/** A client of `pg`, as far as its queries leave texts here. */
interface TextClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  readonly connection?: Line
}

const classes = oncePer((clientClass: object) => ({ Query: textQueryOf(clientClass) }))

/** What a statement found, with the texts of its values; `null`: the driver is not `pg` in JavaScript. */
export function asTexts(client: TextClient, query: PostgresQuery): Promise<PostgresResult> | null {
  const { Query } = classes(client.constructor)
  if (Query === null) return null
  if (client.connection !== undefined) gather(client.connection)
  const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
  const asked = new Query(query, (error, result) => {
    if (error) return reject(error)
    const { command, rowCount } = result
    resolve({ command, rowCount, rows: asked.found, fields: asked.columns })
  })
  // The driver takes queries that are made already, too.
  void client.query(asked as never)
  return promise
}

/** A connection of `pg`, as far as statements leave on it together. */
export interface Line {
  readonly stream: {
    readonly writableCorked: number
    cork(): void
    uncork(): void
  }
}

/** What is asked on a connection at the same moment leaves in one piece. */
export function gather({ stream }: Line): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
