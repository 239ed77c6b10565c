import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { type ServerFailures, serverFailures } from '../pooled/failures.ts'
import { COMMANDS } from './scripts.ts'

const REFUSED_ACCOUNT =
  '% refuses this account: look at the user name and the password in the address.'
const REFUSED_COMMAND = `% does not let this account do what counting needs: keys that begin with the prefix, and the commands ${COMMANDS}.`
const READ_ONLY = '% is a replica, which cannot be written: use the address of the primary.'
const NOT_READY = '% is not ready: it is starting, or its primary is not there. Try again.'
const CLUSTER =
  '% belongs to a cluster: hand in a client of the cluster, with a prefix in braces such as "{colophon}:".'

/** What `@redis/client` and `ioredis` say where a connection ends before an answer. */
const ENDED =
  /^(?:Socket closed|Connection is closed|The client is (?:closed|offline)|Disconnects client|Stream isn't writeable)/

/** By the first word of what Redis answers. */
export const redisFailures: ServerFailures = serverFailures({
  meanings: [
    [REFUSED_ACCOUNT, 'NOAUTH', 'WRONGPASS'],
    [REFUSED_COMMAND, 'NOPERM'],
    [READ_ONLY, 'READONLY'],
    [NOT_READY, 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN'],
    [CLUSTER, 'CROSSSLOT', 'MOVED', 'ASK'],
    ['% runs another script that does not end.', 'BUSY'],
    ['% has no memory left: raise its maxmemory, or let it evict other keys.', 'OOM'],
    ['% cannot save its data, and takes no writes until it can.', 'MISCONF'],
    ['% has no connection to give: raise its maxclients.', 'MAXCLIENTS'],
  ],
  codeOf: ({ message }) => codeIn(message),
  isLoss: (error) => 'syscall' in error || ENDED.test(error.message),
})

function codeIn(message: string): string {
  if (message.includes("can't run this command")) return 'NOPERM'
  if (message.startsWith('ERR max number of clients')) return 'MAXCLIENTS'
  return /^[A-Z]+/.exec(message)?.[0] ?? ''
}

/** What the application gets, whatever a client rejects with. */
export function translated(error: unknown, place: string): DatabaseUnavailable {
  const failure = redisFailures.translated(error, place)
  if (failure instanceof DatabaseUnavailable) return failure
  const message = failure instanceof Error ? failure.message : String(failure)
  return new DatabaseUnavailable(`${place} refused a command: ${message}`, {
    cause: error,
  })
}
