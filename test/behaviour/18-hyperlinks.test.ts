// U20–U28 under every scheme, through both doors: what links look like, and what becomes of links that
// clients send.
import { describe } from 'vitest'
import { NamespaceVersioning, QueryParameterVersioning, include } from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { type Linked, SCHEMES, linkedService } from './linked-services.ts'

const FOREIGN = 'http://elsewhere.example.org/users/1/'

describe.each(SCHEMES)('$name', (scheme) => {
  const { ask, link } = scheme
  const app = linkedService(scheme)
  const v1 = (path: string): string => link(path, 'v1')
  const shown = (more: (path: string) => string = v1): object[] => [
    {
      url: more('/notes/7/'),
      author: more('/users/1/'),
      readers: [more('/users/1/'), more('/users/2/')],
      tag: more('/tags/a%2F%C3%BC/'),
    },
    { url: more('/notes/8/'), author: null, readers: [], tag: more("/tags/it's/") },
  ]
  const get = (path: string, version = 'v1'): [string, object] => {
    const [target, headers] = ask(path, version)
    return [`GET ${target}`, headers === undefined ? {} : { headers }]
  }
  const show = (title: string, path: string, data: unknown, version?: string): Row => {
    const [question, more] = get(path, version)
    return [title, question, { status: 200, data }, more]
  }
  const sort = (url: string): string => {
    const [address, query] = url.split('?')
    return query === undefined ? url : `${address}?${query.split('&').toSorted().join('&')}`
  }
  const send = (title: string, body: unknown, data: unknown, version = 'v1'): Row => {
    const [target, headers] = ask('/notes/', version)
    const status = isInput(data) ? 200 : 400
    return [title, `POST ${target}`, { status, data }, { headers: { ...headers }, json: body }]
  }
  const refuse = (title: string, author: unknown, code: string): Row =>
    send(title, { author }, { author: [code] })
  const take = (title: string, author: unknown, key: unknown): Row =>
    send(title, { author }, { author_id: key })
  const other = link('/users/1/', 'v2')
  const pathOf = (url: string): string => new URL(url).pathname

  throughDoors(app, [
    show('U20 absolute, in the version of the request', '/notes/', shown()),
    show(
      'U20 in the other version',
      '/notes/',
      shown((path) => link(path, 'v2')),
      'v2',
    ),
    show(
      'U28 the suffix stays',
      '/notes.json',
      shown((path) => v1(path.replace(/\/$/, '.json'))),
    ),
    show(
      'U3 the format stays',
      '/notes/?format=json',
      shown((path) => sort(`${v1(path)}${v1(path).includes('?') ? '&' : '?'}format=json`)),
    ),
    take('U22 the address itself', v1('/users/2/'), 2),
    take('U22 its path', pathOf(v1('/users/2/')), 2),
    take(
      'U22 with a query and a fragment',
      `${v1('/users/2/')}${v1('').includes('?') ? '&' : '?'}a=b#c`,
      2,
    ),
    take(
      'U22 with a format',
      `${v1('/users/2/')}${v1('').includes('?') ? '&' : '?'}format=json`,
      2,
    ),
    take('U28 with a suffix', v1('/users/2.json'), 2),
    take('U21 null', null, null),
    take('U21 an empty text, as forms say null', '', null),
    refuse('U22 a path with a query', `${pathOf(v1('/users/2/'))}?a=b`, 'no_match'),
    refuse('U22 a path with a fragment', `${pathOf(v1('/users/2/'))}#a`, 'no_match'),
    refuse('U22 a number', 2, 'incorrect_type'),
    refuse('U22 an object', { id: 2 }, 'incorrect_type'),
    refuse('U22 a list', [v1('/users/2/')], 'incorrect_type'),
    refuse('U22 truth', true, 'incorrect_type'),
    refuse('U23 no route', v1('/nowhere/'), 'no_match'),
    refuse('U23 no address', 'users/2/', 'no_match'),
    refuse('U23 another scheme of addresses', 'javascript:alert(1)', 'no_match'),
    refuse('U23 broken percent-encoding', '/users/%ff/', 'no_match'),
    refuse('U23 an address that is none', 'http://[', 'no_match'),
    refuse('U23 a number too long', v1('/users/99999999999999999999/'), 'no_match'),
    refuse('U23 another route', v1('/notes/7/'), 'incorrect_match'),
    refuse('U23 a route without a key', v1('/notes/'), 'incorrect_match'),
    refuse('U23 nobody', v1('/users/3/'), 'does_not_exist'),
    refuse('a foreign host', FOREIGN, 'no_match'),
    refuse('a foreign host, without a scheme', FOREIGN.slice(5), 'no_match'),
    refuse('another port', v1('/users/2/').replace(/(\/\/[^/]+)/, '$1:81'), 'no_match'),
    refuse('another scheme', v1('/users/2/').replace('http:', 'https:'), 'no_match'),
    ...(other === v1('/users/1/')
      ? [take('a link shows no version', other, 1)]
      : [
          refuse(
            'a link of another version',
            other,
            scheme.name === 'host' ? 'no_match' : 'incorrect_match',
          ),
        ]),
    send(
      'lists, by index (E25)',
      { author: null, readers: [v1('/users/1/'), 5, v1('/users/9/'), v1('/notes/7/'), null] },
      {
        readers: {
          1: ['incorrect_type'],
          2: ['does_not_exist'],
          3: ['incorrect_match'],
          4: ['null'],
        },
      },
    ),
    send(
      'lists of keys, and texts',
      { author: null, readers: [v1('/users/2/'), v1('/users/1/')], tag: v1('/tags/a%2F%C3%BC/') },
      { author_id: null, reader_ids: [2, 1], tag_name: 'a/ü' },
    ),
    send('U27 nobody writes the address itself', { url: 'x', author: null }, { author_id: null }),
    send('a bad identifier', { author: null, tag: v1('/tags/%00/') }, { tag: ['does_not_exist'] }),
  ])
})

/** Input has names of rows. */
function isInput(data: unknown): boolean {
  return Object.keys(data as object).some((name) => /_(?:ids?|name)$/.test(name))
}

describe('U26 namespaces and no version', () => {
  const note = {
    'note-list': '/notes/',
    'note-detail': '/notes/:id<int>/',
    lost: '/lost/',
  } as const
  const more = { 'user-detail': '/users/:id<int>/', 'tag-detail': '/tags/:name/' } as const
  const app = linkedService({
    versioning: new NamespaceVersioning(),
    urls: { ...note, ...more, v1: include('/v1', { ...note, ...more }) },
  })
  const send = (title: string, author: string, data: unknown, path = '/notes/'): Row => [
    title,
    `POST ${path}`,
    { status: isInput(data) ? 200 : 400, data },
    { json: { author } },
  ]
  throughDoors(app, [
    send('an unversioned link', '/users/1/', { author_id: 1 }),
    send('U24 a link of a version', '/v1/users/1/', { author: ['incorrect_match'] }),
    send(
      'U24 an unversioned link in a version',
      '/users/1/',
      { author: ['incorrect_match'] },
      '/v1/notes/',
    ),
    send('U24 a link of its own version', '/v1/users/1/', { author_id: 1 }, '/v1/notes/'),
  ])
})

describe('query style', () => {
  const query = SCHEMES.find(({ versioning }) => versioning instanceof QueryParameterVersioning)!
  const send = (title: string, author: string, data: unknown): Row => [
    title,
    'POST /notes/?version=v1&format=json',
    { status: isInput(data) ? 200 : 400, data },
    { json: { author } },
  ]
  throughDoors(linkedService(query satisfies Linked), [
    send('a link that names no version', 'http://localhost/users/1/', { author_id: 1 }),
    send('another format', 'http://localhost/users/1/?version=v1&format=api', { author_id: 1 }),
    send('of a repeated version the last', 'http://localhost/users/1/?version=v2&version=v1', {
      author_id: 1,
    }),
    send('an empty version', 'http://localhost/users/1/?version=', { author: ['incorrect_match'] }),
    send('a version behind the fragment', 'http://localhost/users/1/#?version=v2', {
      author_id: 1,
    }),
  ])
})
