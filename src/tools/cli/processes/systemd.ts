// The sockets that systemd hands to a service, and the notices that it expects (sd_listen_fds(3), sd_notify(3)).
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Terminal } from '../terminal.ts'

/** The socket that systemd has opened for this process: `fd:3`; `undefined`: none. */
export function handedSocket(): string | undefined {
  const { env } = process
  const isOurs = env['LISTEN_PID'] === String(process.pid)
  return isOurs && Number(env['LISTEN_FDS']) > 0 ? 'fd:3' : undefined
}

/**
 * Says how far the service is, where systemd asked for it: `Type=notify` with `NotifyAccess=all`, since its own program
 * says it for us (Node has no datagrams of unix sockets).
 */
export async function notifySystemd(
  state: 'READY=1' | 'STOPPING=1',
  { complain }: Pick<Terminal, 'complain'>,
): Promise<void> {
  if (!process.env['NOTIFY_SOCKET']) return
  try {
    await promisify(execFile)('systemd-notify', [state])
  } catch (error) {
    complain(`colophon: systemd-notify ${state} has failed: ${(error as Error).message}`)
  }
}
