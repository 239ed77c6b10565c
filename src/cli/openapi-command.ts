import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Context } from './application.ts'
import { CommandFailed, JSON_FLAG, ONE_OBJECT, type Printing, report } from './terminal.ts'

interface Options extends Printing {
  readonly version?: string
  readonly out?: string
  readonly origin?: string
}

/** `colophon openapi` */
export function addOpenApiCommand(program: Command, context: Context): void {
  program
    .command('openapi')
    .summary('print the OpenAPI document of a version')
    .description(
      'Prints the OpenAPI 3.1 document of a version as JSON, or writes it into a file. It asks no database and runs no handler.',
    )
    .option('--version <version>', 'the version (default: the newest)')
    .option('--out <file>', 'a file to write it into')
    .option('--origin <origin>', 'where the service is (default: the key PUBLIC_URL)')
    .option(JSON_FLAG, `${ONE_OBJECT}; the document always is one`)
    .action((options: Options) => showDocument(options, context))
}

async function showDocument(
  { out, json = false, ...which }: Options,
  { app, terminal }: Context,
): Promise<void> {
  const { openApiDocument } = await import('../openapi/documents.ts')
  const served = await app()
  const document = orFailed(() => openApiDocument(served, which))
  const text = JSON.stringify(document, null, 2)
  if (out === undefined) terminal.print(text)
  else {
    const file = resolve(terminal.cwd, out)
    writeFileSync(file, `${text}\n`)
    const { version } = document.info as { readonly version: string }
    const operations = countIn(document)
    const done = `The document of ${version} with ${operations} operations is in ${out}.`
    report(terminal, { json }, { file, version, operations }, done)
  }
  await served.close()
}

/** A version that there is not is a mistake of the operator. */
function orFailed<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? new CommandFailed(error.message) : error
  }
}

function countIn({ paths }: OpenApiDocument): number {
  const members = Object.values(paths).flatMap((item) => Object.keys(item))
  return members.filter((member) => member !== 'servers').length
}
