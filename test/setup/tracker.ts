import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { withEnvironment } from './environment.ts'

/** The folder of this thread's issue tracker, with its rows and files: each test file that uses it deletes it. */
export const HOME = join(tmpdir(), `colophon-tracker-${process.pid}-${threadId}`)

/** The issue tracker of the examples. A thread loads its module once, for the first of its test files. */
export function issueTracker() {
  const env = {
    DATABASE_URL: `sqlite:${join(HOME, 'tracker.sqlite')}`,
    UPLOADS: join(HOME, 'uploads'),
  }
  return withEnvironment(env, async () => ({
    ...(await import('../../examples/issue-tracker/app.ts')),
    ...(await import('../../examples/issue-tracker/tables.ts')),
  }))
}
