import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { withEnvironment } from './environment.ts'

/** Where the issue tracker of this thread keeps its rows and files: each test file that uses it removes it. */
export const HOME = join(tmpdir(), `colophon-tracker-${process.pid}-${threadId}`)

/** The issue tracker of the examples. A thread loads its module once, for whichever of its test files is first. */
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
