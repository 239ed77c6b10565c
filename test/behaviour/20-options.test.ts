import { describe } from 'vitest'
import {
  JSONParser,
  JSONRenderer,
  SimpleMetadata,
  defineApi,
  include,
  obtainToken,
} from '../../src/index.ts'
import { throughDoors } from './doors.ts'
import { DETAIL, bob, quiet, says } from './fixtures.ts'

const api = defineApi({
  urls: {
    'article-list': '/articles/',
    own: '/own/',
    silent: '/silent/',
    token: '/token/',
    shut: '/shut/',
    a_b: include('/abc', { 'c-d': '/' }),
  },
})
class Brief extends SimpleMetadata {
  override describe(endpoint: Parameters<SimpleMetadata['describe']>[0]): object {
    return { brief: endpoint.title }
  }
}
const accounts = {
  users: { authenticate: async () => bob },
  tokens: { obtain: () => ({ key: 'k', user: bob, created: new Date(0) }) },
}
const ok = () => 'ok'
const app = api.serve(
  [
    api.endpoint('article-list').get(ok),
    api
      .endpoint('own', {
        title: 'Mine',
        description: 'All of it.',
        renderers: [new JSONRenderer()],
        parsers: [new JSONParser()],
      })
      .post(ok),
    api.endpoint('silent', { metadata: null }).get(ok),
    api.endpoint('token').post(obtainToken({ accounts })),
    api.endpoint('shut', { permissions: [says(false)] }).get(ok),
    api.endpoint('a_b:c-d', { metadata: new Brief() }).get(ok),
  ],
  quiet,
)
const field = (label: string, required: boolean) => ({
  type: 'string',
  required,
  read_only: !required,
  label,
})

describe('M1–M3 OPTIONS', () => {
  throughDoors(app, [
    [
      'M1 what the endpoint is, writes and reads',
      'OPTIONS /articles/',
      {
        status: 200,
        data: {
          name: 'Article List',
          description: '',
          renders: ['application/json', 'text/html'],
          parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
        },
        headers: { allow: 'GET, HEAD, OPTIONS' },
      },
    ],
    [
      'M1 by its own words',
      'OPTIONS /own/',
      {
        status: 200,
        data: {
          name: 'Mine',
          description: 'All of it.',
          renders: ['application/json'],
          parses: ['application/json'],
        },
      },
    ],
    [
      'M1 negotiated',
      'OPTIONS /articles/',
      { status: 200, text: /^<!doctype html>/ },
      { headers: { accept: 'text/html' } },
    ],
    ['M1 switched off', 'OPTIONS /silent/', { status: 405, data: DETAIL }],
    ['M1 refused where the endpoint is', 'OPTIONS /shut/', 403],
    [
      'M2, M3 the input fields',
      'OPTIONS /token/',
      {
        status: 200,
        data: {
          name: 'Token',
          description: '',
          renders: ['application/json'],
          parses: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
          actions: {
            POST: {
              username: field('Username', true),
              password: field('Password', true),
              token: field('Token', false),
            },
          },
        },
      },
    ],
    [
      "W4 a name made from the address, and metadata of one's own",
      'OPTIONS /abc/',
      { status: 200, data: { brief: 'C D' } },
    ],
  ])
})
