import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from '../../run.ts'
import type { Scenario } from '../scenario.ts'

/** A service whose configuration comes from code, with a secret of one letter. */
const PROGRAM = `
  import { CursorPagination, arraySource, configurationOf, defineApi, list } from 'colophon'
  const pagination = new CursorPagination({ ordering: 'id', pageSize: 1 })
  const api = defineApi({ urls: { numbers: '/numbers/' }, pagination })
  const source = arraySource([{ id: 1 }], { key: 'id' })
  const configuration = configurationOf({ SECRET_KEY: 'x' })
  console.log('secure', configuration.service.sessionCookieSecure)
  api.serve([api.endpoint('numbers').get(list({ source }))], { configuration })
  console.log('serves')
`

/** A guessed secret makes cursors and sessions of any user, so a service with a weak one does not start in production. */
export const weakSecret: Scenario = {
  name: 'weak-secret',
  sends: 'nothing: a service in production is built with a secret of one letter',
  async run(stage) {
    const env = { ...process.env, NODE_ENV: 'production' }
    const command = ['--input-type=module', '--eval', PROGRAM]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      cwd: root,
      env,
    }).catch((error: { stdout: string; stderr: string }) => error)
    stage.expect(`It does not start (${stdout.trim()}).`, !stdout.includes('serves'))
    stage.expect('It names the key.', stderr.includes('SECRET_KEY'))
    stage.expect('Its cookies are for HTTPS alone.', stdout.includes('secure true'))
  },
}
