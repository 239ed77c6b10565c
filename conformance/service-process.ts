import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The conformance service in a process of its own. */
export interface ServiceProcess {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the service on a free port, shows what it prints, and resolves when it is ready. */
export async function startService(data: string): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), '--data', data], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readyUrl(child)
  return { url, stop: () => stop(child) }
}

async function readyUrl({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    console.log(line)
    const url = /^Ready: (.+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('The service ended before it was ready.')
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
