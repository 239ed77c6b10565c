import { bigNumbers } from './big-numbers.ts'
import { brokenStreams } from './broken-streams.ts'
import { calm } from './calm.ts'
import { combiningMarks } from './combining-marks.ts'
import { databaseAway } from './database-away.ts'
import { foreignWriteLock } from './foreign-write-lock.ts'
import { fullDisk } from './full-disk.ts'
import { hosts } from './hosts.ts'
import { hugePages } from './huge-pages.ts'
import { inLists, inListsPostgres } from './in-lists.ts'
import { kill } from './kill.ts'
import { lockedRow } from './locked-row.ts'
import { pipelinedLists } from './pipelined-lists.ts'
import { pipelinedLogins } from './pipelined-logins.ts'
import { poisonRows } from './poison-rows.ts'
import { randomRequests } from './random-requests.ts'
import { sigterm } from './sigterm.ts'
import { silentConnection } from './silent-connection.ts'
import { slowClients } from './slow-clients.ts'
import { unreadAnswers } from './unread-answers.ts'

/** Every scenario, in the order in which they are played. */
export const scenarios = [
  calm,
  // Texts and numbers that cost more than they look.
  combiningMarks,
  bigNumbers,
  inLists,
  inListsPostgres,
  hugePages,
  // Clients that take more than their share, or do not go on.
  pipelinedLogins,
  pipelinedLists,
  unreadAnswers,
  slowClients,
  // What a client says about itself, and what it leaves behind.
  hosts,
  poisonRows,
  brokenStreams,
  randomRequests,
  // What happens around the service.
  foreignWriteLock,
  lockedRow,
  silentConnection,
  databaseAway,
  fullDisk,
  kill,
  sigterm,
]
