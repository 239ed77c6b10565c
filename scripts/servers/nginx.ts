import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, pathOf } from './programs.ts'
import { type Running, answers, onFreePort, runServer, temporaryFolder } from './run-server.ts'

export const NGINX: Program = { name: 'nginx', packages: ['nginx-light'] }

/** The port and the folder of an nginx of ours. */
export interface NginxPlace {
  /** A free port on 127.0.0.1, for the configuration to listen on. */
  readonly port: number
  /** A folder for sockets and files; it is deleted when nginx has stopped. */
  readonly folder: string
}

/** The configuration of nginx. */
export interface NginxOptions {
  /** The content of `http { … }`: servers and upstreams. */
  readonly config: (place: NginxPlace) => string
  /** Files in its folder, by name: a password file, a certificate. */
  readonly files?: Readonly<Record<string, string>>
}

/** A running nginx. */
export interface Nginx extends NginxPlace, Running {
  readonly url: string
}

/**
 * Starts nginx on a free port, as one process in the foreground.
 *
 * @example
 * const nginx = await startNginx({
 *   config: ({ port }) => `server { listen 127.0.0.1:${port}; location / { return 204; } }`,
 * })
 */
export function startNginx(options: NginxOptions): Promise<Nginx> {
  return onFreePort((port) => startAt(port, options))
}

async function startAt(port: number, { config, files = {} }: NginxOptions): Promise<Nginx> {
  const command = await pathOf(NGINX)
  const place = { port, folder: temporaryFolder('nginx') }
  const all = { ...files, 'nginx.conf': wholeConfig(place.folder, config(place)) }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(place.folder, name), text)
  const running = await runServer({
    folder: place.folder,
    command,
    args: ['-p', place.folder, '-e', 'stderr', '-c', join(place.folder, 'nginx.conf')],
    user: null,
    ready: () => answers(place.port),
    stopSignal: 'SIGTERM',
  })
  return { ...place, ...running, url: `http://127.0.0.1:${place.port}` }
}

function wholeConfig(folder: string, http: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    'daemon off;',
    'master_process off;',
    `pid ${folder}/pid;`,
    'error_log stderr;',
    'events { worker_connections 256; }',
    'http {',
    'access_log off;',
    ...kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`),
    http,
    '}',
    '',
  ].join('\n')
}
