import { resolve } from 'node:path'
import { decoded } from '../../../addons/gate/view.ts'
import { type CommandContext, type CommandNode, ONE_OBJECT, command } from '../command.ts'
import { jsonObjectIn, readText, writeText } from '../files.ts'
import { CommandFailed, orFailed } from '../terminal.ts'
import type { SchemaJson } from './schemas.ts'

export const clientCommands: CommandNode = {
  name: 'client',
  summary: 'write the types of a client',
  description:
    'Writes what programs without the source of the service need of it for colophon/client.',
  commands: [
    command({
      name: 'generate',
      summary: 'write the types and addresses of a version as TypeScript',
      description:
        'Writes a module of TypeScript for createClient of colophon/client: the types and the addresses of one version, of ' +
        'an OpenAPI document or of the application. The same document makes the same bytes.',
      options: [
        [
          '--document <place>',
          'file or URL of an OpenAPI document (default: that of the application)',
        ],
        [
          '--version <version>',
          'of the application: the version (default: the newest)',
          { conflicts: ['document'] },
        ],
        ['--out <file>', 'a file to write it into'],
      ],
      json: `${ONE_OBJECT}; it has the module as "text", unless --out is given`,
      async run(given) {
        const { options, terminal, json, report } = given
        const { document: place, version: wanted, out } = options
        const { clientSource } = await import('./source.ts')
        const document =
          place === undefined
            ? await ownDocument(wanted, given)
            : await readDocument(place, terminal.cwd)
        const about = place === undefined ? 'The application' : withoutSecrets(place)
        const made = orFailed(() => clientSource(document, commandOf(options)), `${about}: `)
        const { text, version, operations } = made
        if (out === undefined) {
          const whole = json ? JSON.stringify({ version, operations, text }) : text.trimEnd()
          return terminal.print(whole)
        }
        const file = resolve(terminal.cwd, out)
        writeText(file, text)
        const of = version === null ? '' : ` of ${version}`
        const done = `The client${of} with ${operations} operations is in ${out}.`
        report({ file, version, operations }, done)
      },
    }),
  ],
}

interface Options {
  readonly document: string | undefined
  readonly version: string | undefined
}

/**
 * The command, for those who find the file. The place of the document makes no difference to the content, and a secret in
 * its address stays out of a file that is kept with the sources.
 */
function commandOf({ document, version }: Options): string {
  const given = Object.entries({ document: document && withoutSecrets(document), version }).filter(
    ([, value]) => value !== undefined,
  )
  const words = given.map(([name, value]) => ` --${name} ${value}`)
  return `colophon client generate${words.join('')}`
}

function withoutSecrets(place: string): string {
  const url = isAddress(place) ? URL.parse(place) : null
  return url === null ? place : url.origin + url.pathname
}

async function ownDocument(
  version: string | undefined,
  { app }: CommandContext,
): Promise<SchemaJson> {
  const { openApiDocument } = await import('../../../addons/openapi/documents.ts')
  const served = await app()
  try {
    return orFailed(
      () => openApiDocument(served, version === undefined ? {} : { version }),
      'The application: ',
    )
  } finally {
    await served.close()
  }
}

async function readDocument(place: string, cwd: string): Promise<SchemaJson> {
  const text = isAddress(place) ? await download(place) : readText(resolve(cwd, place))
  return jsonObjectIn(text, `${withoutSecrets(place)} is not a JSON object.`)
}

function isAddress(place: string): boolean {
  return /^https?:\/\//i.test(place)
}

/** Milliseconds in which a document has to come, and the length that it may have. */
const [PATIENCE, LONGEST] = [30_000, 64 * 1024 * 1024]

async function download(place: string): Promise<string> {
  const shown = withoutSecrets(place)
  const url = URL.parse(place)
  if (url === null) throw new CommandFailed(`${shown} is no address.`)
  const headers = { accept: 'application/json', ...credentialsIn(url) }
  // `fetch` takes no credentials in an address.
  url.username = url.password = ''
  const fail = (error: Error): never => {
    throw new CommandFailed(`${shown} gives no document: ${reasonOf(error)}`)
  }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) }).catch(fail)
  if (!answer.ok) throw new CommandFailed(`${shown} answers with ${answer.status}.`)
  return textOf(answer).catch(fail)
}

async function textOf({ body }: Response): Promise<string> {
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? [])
    if ((text += part).length > LONGEST) throw new Error('it has more than 64 MiB.')
  return text
}

function credentialsIn({ username, password }: URL): { readonly authorization?: string } {
  if (username === '' && password === '') return {}
  const pair = [username, password].map((part) => part.replaceAll(/(?:%[\da-f]{2})+/gi, decoded))
  return { authorization: `Basic ${Buffer.from(pair.join(':')).toString('base64')}` }
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
