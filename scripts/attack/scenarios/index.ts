import { bigNumbers } from './big-numbers.ts'
import { brokenStreams } from './broken-streams.ts'
import { calm } from './calm.ts'
import { combiningMarks } from './combining-marks.ts'
import { databaseAway } from './database-away.ts'
import { foreignWriteLock } from './foreign-write-lock.ts'
import { foreignKeys } from './foreign-keys.ts'
import { fullDisk } from './full-disk.ts'
import { guesses } from './guesses.ts'
import { hosts } from './hosts.ts'
import { hostileDocuments, manyRows, ringsOfPages, strangeRedirects } from './hostile-service.ts'
import { hugePages } from './huge-pages.ts'
import { inLists, inListsPostgres } from './in-lists.ts'
import { kill } from './kill.ts'
import { lockedRow } from './locked-row.ts'
import { heavyPages, longLists, longTexts } from './long-texts.ts'
import { lostAnswers, packedBodies } from './odd-bodies.ts'
import { pipelinedLists } from './pipelined-lists.ts'
import { pipelinedLogins } from './pipelined-logins.ts'
import { poisonRows } from './poison-rows.ts'
import { randomRequests } from './random-requests.ts'
import { redisNonsense } from './redis-nonsense.ts'
import { sigterm } from './sigterm.ts'
import { silentConnection } from './silent-connection.ts'
import { slowClients } from './slow-clients.ts'
import { staffToken, unseenNames } from './staff-token.ts'
import { unreadAnswers } from './unread-answers.ts'
import { weakSecret } from './weak-secret.ts'

/** Every scenario, in the order in which they are played. */
export const scenarios = [
  calm,
  // Texts and numbers that cost more than they seem to.
  combiningMarks,
  bigNumbers,
  inLists,
  inListsPostgres,
  hugePages,
  heavyPages,
  longTexts,
  longLists,
  packedBodies,
  // Clients that take more than their share, or stop in the middle.
  pipelinedLogins,
  guesses,
  staffToken,
  unseenNames,
  pipelinedLists,
  unreadAnswers,
  slowClients,
  // Claims of a client about itself, and the remains of its requests.
  hosts,
  poisonRows,
  foreignKeys,
  brokenStreams,
  lostAnswers,
  randomRequests,
  // Attacks of a service on our client.
  manyRows,
  strangeRedirects,
  ringsOfPages,
  hostileDocuments,
  // Events around the service.
  weakSecret,
  foreignWriteLock,
  lockedRow,
  silentConnection,
  databaseAway,
  redisNonsense,
  fullDisk,
  kill,
  sigterm,
]
