import { expect, test } from 'vitest'
import {
  configurationOf,
  defineApi,
  SessionAuthentication,
  TokenAuthentication,
} from '../../../src/index.ts'

test.each([
  ['SessionAuthentication', 'sessions', { SessionAuthentication }],
  ['TokenAuthentication', 'tokens', { TokenAuthentication }],
])('%s by name needs the %s of an application with accounts', (name, need, classes) => {
  const api = defineApi({ urls: { a: '/a/' }, classes })
  const configuration = configurationOf({ DEFAULT_AUTHENTICATION_CLASSES: [name] })
  expect(() => api.serve([api.endpoint('a').get(() => null)], { configuration })).toThrow(
    `${name} needs the ${need} of an application with accounts`,
  )
})
