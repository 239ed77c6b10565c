// The registry: every policy that reads what clients send, every kind of field, every header, with what is
// grown. The names are compared with what the package exports, so that nothing new is left out.
import { factorName } from '../../src/accounts/factors.ts'
import { matchLanguage } from '../../src/core/messages/words.ts'
import { readForwarded, trustedPeers } from '../../src/core/std/http/forwarded.ts'
import { ApiError, type ApiRequest, type SentAnswer } from '../../src/index.ts'
import { requestLog } from '../../src/operations.ts'
import { parseIp } from '../../src/core/std/http/network.ts'
import { placeOf } from '../../src/storage/postgres/replicas.ts'
import { type Service, ask, fieldReader, serviceOf, tokenBoundBy } from './growth-service.ts'
import { BODY, HEAD, type Input } from './growth.ts'
import { PLAIN_TEXTS, TEXTS } from './growth-texts.ts'
import { VALUES } from './growth-values.ts'
import { CREDENTIALS, FORM_BODIES, JSON_BODIES, PARTS_BODIES, repeated } from './growth-bodies.ts'

type Inputs = () => Promise<readonly Input[]>

const service = serviceOf()

/** A request as the kernel gets it, of which one part is as large as wanted. */
type Asking = (text: string) => Parameters<Service['handle']>[0]

const asking = (texts: object, limit: number, request: Asking, prefix = ''): Input[] =>
  Object.entries(texts as typeof TEXTS).map(([name, text]) => ({
    name: `${prefix}${name}`,
    limit,
    prepare: (size) => {
      const made = text(size)
      return async () => {
        const { handle } = await service
        const { status } = await handle(request(made))
        if (status >= 500) throw new Error(`${status} for ${prefix}${name}`)
      }
    },
  }))

const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  ask('GET', target, headers)

/** What a query may hold: one long value, many values of one name, many names. */
const query =
  (path: string, ...names: readonly string[]): Inputs =>
  async () => [
    ...names.flatMap((name) =>
      asking(
        TEXTS,
        HEAD,
        (text) => get(`${path}?${name}=${encodeURIComponent(text.toWellFormed()).slice(0, HEAD)}`),
        `${name}: `,
      ),
    ),
    ...names.flatMap((name) =>
      asking(PLAIN_TEXTS, HEAD, (text) => get(`${path}?${name}=${text}`), `${name}, as it is: `),
    ),
    ...asking({ 'one name again and again': repeated(() => `${names[0]}=1`) }, HEAD, (text) =>
      get(`${path}?${text}`),
    ),
    ...asking({ 'many names': repeated((index) => `${index}=${index}`) }, HEAD, (text) =>
      get(`${path}?${text}`),
    ),
    ...asking({ 'only separators': repeated(() => '') }, HEAD, (text) => get(`${path}?${text}`)),
  ]

const inHeader =
  (name: string, path: string, ...prefixes: readonly string[]): Inputs =>
  async () =>
    prefixes.flatMap((prefix) =>
      asking(
        { ...PLAIN_TEXTS, 'many of them': repeated((index) => `a${index}=${index}`, '; ') },
        HEAD,
        (text) => ask('POST', path, { [name]: prefix + text }, Buffer.from('{}')),
        `${prefix}: `,
      ),
    )

/** A header of one that downloads. */
const ofDownload =
  (name: string, ...prefixes: readonly string[]): Inputs =>
  async () =>
    prefixes.flatMap((prefix) =>
      asking(
        { ...PLAIN_TEXTS, 'many of them': repeated((index) => `"${index}"`, ', ') },
        HEAD,
        (text) => ask('GET', '/download/', { [name]: prefix + text }),
        `${prefix}: `,
      ),
    )

/** What base64 of a head may hold. */
const inBase64 =
  (path: string, pair: (text: string) => string): Inputs =>
  async () =>
    asking(
      TEXTS,
      HEAD / 4,
      (text) => {
        const word = Buffer.from(pair(text)).toString('base64')
        return ask('POST', path, { authorization: `Basic ${word}` }, Buffer.from('{}'))
      },
      `${pair('…')}: `,
    )

/** As a trusted server in front would pass it on. */
const forwarded =
  (name: string, ...prefixes: readonly string[]): Inputs =>
  async () => {
    const proxies = trustedPeers(['10.0.0.0/8'])
    const peer = parseIp('10.0.0.1')
    return prefixes.flatMap((prefix) =>
      Object.entries(PLAIN_TEXTS).map(([title, text]) => ({
        name: `${prefix}: ${title}`,
        limit: HEAD,
        prepare: (size) => {
          const value = prefix + text(size)
          const header = (asked: string): string | null => (asked === name ? value : null)
          return () => readForwarded(header, peer, 'http', proxies)
        },
      })),
    )
  }

/** As a line of the log has the trace of a request. */
const traced = async (): Promise<readonly Input[]> => {
  const ignore = (): void => {}
  const observe = requestLog({ logger: { info: ignore, error: ignore } })
  const answer = { status: 200, duration: 1 } as SentAnswer
  return ['', '00-', `00-${'a'.repeat(32)}-`].flatMap((prefix) =>
    Object.entries(PLAIN_TEXTS).map(([title, text]) => ({
      name: `${prefix}: ${title}`,
      limit: HEAD,
      prepare: (size) => {
        const value = prefix + text(size)
        const request = { header: (): string => value } as unknown as ApiRequest
        return () => observe(answer, request)
      },
    })),
  )
}

const inPath =
  (path: string): Inputs =>
  async () =>
    asking(PLAIN_TEXTS, HEAD, (text) => get(path.replace('*', text)))

const body =
  (path: string, type: string, bodies: object, limit = BODY, headers: object = {}): Inputs =>
  async () =>
    asking(bodies, limit, (text) =>
      ask('POST', path, { 'content-type': type, ...headers }, Buffer.from(text)),
    )

const all =
  (...some: readonly Inputs[]): Inputs =>
  async () =>
    (await Promise.all(some.map((each) => each()))).flat()

const PARTS = 'multipart/form-data; boundary=x'
const FORM = 'application/x-www-form-urlencoded'

/** A field reads each hostile value, as it comes out of JSON. */
const field = (kind: string): readonly [string, Inputs] => [
  `field ${kind}`,
  async () => {
    const read = await fieldReader(kind)
    return Object.entries(VALUES).map(([name, value]) => ({
      name,
      limit: BODY,
      prepare: (size) => {
        const made = value(size)
        return async () => {
          try {
            await read(made)
          } catch (error) {
            if (!(error instanceof ApiError)) throw error
          }
        }
      },
    }))
  },
]

const KINDS_OF_FIELDS = [
  'bigInteger',
  'boolean',
  'choice',
  'computed',
  'date',
  'dateTime',
  'decimal',
  'dictionary',
  'duration',
  'email',
  'embed',
  'embedMany',
  'file',
  'float',
  'hidden',
  'hyperlink',
  'identity',
  'image',
  'integer',
  'ip',
  'json',
  'list',
  'multipleChoice',
  'nested',
  'related',
  'schema',
  'slug',
  'text',
  'time',
  'url',
  'uuid',
] as const

/** What makes the guard against foreign pages let a login through. */
const OWN_PAGE = { cookie: `csrftoken=${'a'.repeat(32)}`, 'x-csrftoken': 'a'.repeat(32) }

export const INPUTS: Readonly<Record<string, Inputs>> = {
  'parser JSONParser': body('/echo/', 'application/json', JSON_BODIES),
  'parser FormParser': body('/echo/', FORM, FORM_BODIES),
  'parser MultiPartParser': all(body('/echo/', PARTS, PARTS_BODIES), async () =>
    asking(
      PLAIN_TEXTS,
      HEAD,
      (text) =>
        ask(
          'POST',
          '/echo/',
          { 'content-type': `multipart/form-data; boundary=${text}` },
          Buffer.from(`--${text}`),
        ),
      'boundary: ',
    ),
  ),
  'parser MultiPartParser, as a stream': body('/upload/', PARTS, PARTS_BODIES),
  'parser FileParser': body('/upload/', 'application/octet-stream', TEXTS),
  'filter FieldFilter': all(
    query('/books/', 'title__icontains', 'id__in', 'title__in', 'pages__gte', 'title__iexact'),
    query('/books/', 'price', 'id', 'title__isnull'),
  ),
  'filter SearchFilter': query('/books/', 'search'),
  'filter OrderingFilter': query('/books/', 'ordering'),
  'paginator PageNumberPagination': query('/books/', 'page', 'page_size'),
  'paginator LimitOffsetPagination': query('/by-offset/', 'limit', 'offset'),
  'paginator CursorPagination': query('/by-cursor/', 'cursor'),
  'scheme BasicAuthentication': all(
    inHeader('authorization', '/basic/', 'Basic ', 'Basic QTpi', 'basic'),
    inBase64('/basic/', (text) => `${text}:password`),
    inBase64('/basic/', (text) => `name:${text}`),
  ),
  'scheme TokenAuthentication': inHeader('authorization', '/token/', 'Token ', 'Token a', 'token'),
  'scheme SessionAuthentication': inHeader(
    'cookie',
    '/session/',
    'sessionid=',
    'csrftoken=',
    '__Host-sessionid=',
    'a=',
  ),
  'scheme RemoteUserAuthentication': async () =>
    asking(TEXTS, HEAD, (text) =>
      ask('POST', '/remote/', {}, Buffer.from('{}'), { REMOTE_USER: text }),
    ),
  'versioning AcceptHeaderVersioning': inHeader(
    'accept',
    '/by-accept/',
    'a/b; version=',
    'application/json; version=',
  ),
  'versioning HostNameVersioning': inHeader('host', '/by-host/', '', 'v1.'),
  'versioning NamespaceVersioning': inPath('/n/v1/*/'),
  'versioning QueryParameterVersioning': query('/by-query/', 'version'),
  'versioning URLPathVersioning': inPath('/*/by-path/'),
  'renderer HTMLRenderer': async () =>
    asking(TEXTS, BODY, (text) =>
      ask(
        'POST',
        '/mirror/',
        { accept: 'text/html', 'content-type': 'text/plain' },
        Buffer.from(text),
      ),
    ),
  'renderer JSONRenderer': async () =>
    asking(TEXTS, BODY, (text) =>
      ask(
        'POST',
        '/mirror/',
        { accept: 'application/json', 'content-type': 'text/plain' },
        Buffer.from(text),
      ),
    ),
  'renderer StaticHTMLRenderer': async () =>
    asking(TEXTS, BODY, (text) =>
      ask(
        'POST',
        '/static/',
        { accept: 'text/html', 'content-type': 'text/plain' },
        Buffer.from(text),
      ),
    ),
  'converter int': inPath('/int/*/'),
  'converter uuid': inPath('/uuid/*/'),
  'converter slug': inPath('/slug/*/'),
  'converter str': inPath('/str/*/'),
  'converter path': inPath('/path/*'),
  'converter choices': inPath('/choices/*/'),
  'header accept': all(
    inHeader('accept', '/echo/', '', 'text/html,'),
    inHeader('accept', '/books/', ''),
  ),
  'header authorization': all(inHeader('authorization', '/all/', '', 'Basic ', 'Token ')),
  'header content-encoding': inHeader('content-encoding', '/echo/', '', 'identity,', 'gzip,'),
  'header content-type': inHeader(
    'content-type',
    '/echo/',
    '',
    'application/json;',
    'multipart/form-data; boundary=',
  ),
  'header content-disposition': async () =>
    asking(PLAIN_TEXTS, HEAD, (text) =>
      ask(
        'POST',
        '/upload/',
        {
          'content-type': 'application/octet-stream',
          'content-disposition': `attachment; filename="${text}"`,
        },
        Buffer.from('x'),
      ),
    ),
  'header range': ofDownload('range', '', 'bytes=', 'bytes=0-', 'bytes=-', 'bytes=1-2,'),
  'header if-range': ofDownload('if-range', '', '"', 'Fri, '),
  'header if-none-match': ofDownload('if-none-match', '', 'W/"', '"'),
  'header if-modified-since': ofDownload('if-modified-since', '', 'Fri, '),
  'header client-cert': async () =>
    ['', ':', encodeURIComponent('-----BEGIN CERTIFICATE-----')].flatMap((prefix) =>
      asking(
        PLAIN_TEXTS,
        HEAD,
        (text) => {
          const authorization = `Bearer ${tokenBoundBy('x5t#S256')}`
          const environ = { PROXY_CLIENT_CERT: prefix + text }
          return ask('POST', '/bound/', { authorization }, Buffer.from('{}'), environ)
        },
        `${prefix}: `,
      ),
    ),
  'header github-public-key-identifier': inHeader(
    'github-public-key-identifier',
    '/token-scan/',
    '',
    'k1',
  ),
  'header github-public-key-signature': async () =>
    ['', 'A'.repeat(94)].flatMap((prefix) =>
      asking(
        PLAIN_TEXTS,
        HEAD,
        (text) => {
          const identifier = { 'github-public-key-identifier': 'k1' }
          const headers = { ...identifier, 'github-public-key-signature': prefix + text }
          return ask('POST', '/token-scan/', headers, Buffer.from('[]'))
        },
        `${prefix}: `,
      ),
    ),
  'header dpop': async () =>
    ['', 'e30.', `${Buffer.from('{"typ":"dpop+jwt"}').toString('base64url')}.e30.`].flatMap(
      (prefix) =>
        asking(
          PLAIN_TEXTS,
          HEAD,
          (text) => {
            const headers = { authorization: `DPoP ${tokenBoundBy('jkt')}`, dpop: prefix + text }
            return ask('POST', '/bound/', headers, Buffer.from('{}'))
          },
          `${prefix}: `,
        ),
    ),
  'header cookie': inHeader('cookie', '/all/', '', 'sessionid='),
  'header forwarded': forwarded('forwarded', '', 'for=', 'for=10.0.0.1,'),
  'header x-csrftoken': async () =>
    asking(PLAIN_TEXTS, HEAD, (text) =>
      ask('POST', '/login/', { ...OWN_PAGE, 'x-csrftoken': text }, Buffer.from('{}')),
    ),
  'header accept-language': async () =>
    Object.entries(PLAIN_TEXTS).map(([name, text]) => ({
      name,
      limit: HEAD,
      prepare: (size) => {
        const header = `fr,${text(size)},de`
        return () => matchLanguage(header, ['en', 'de'])
      },
    })),
  'header host': inHeader('host', '/echo/', '', 'localhost:', '['),
  'header access-control-request-method': async () =>
    asking(PLAIN_TEXTS, HEAD, (text) =>
      ask('OPTIONS', '/all/', {
        origin: 'https://a.a1.example.com',
        'access-control-request-method': text,
      }),
    ),
  'header origin': all(
    inHeader('origin', '/all/', '', 'http://', 'http://localhost', 'https://', 'https://a.'),
    async () =>
      asking(PLAIN_TEXTS, HEAD, (text) =>
        ask('OPTIONS', '/all/', {
          origin: `https://${text}.example.com`,
          'access-control-request-method': 'GET',
        }),
      ),
  ),
  'header read-after': async () =>
    ['', '0/', 'F'.repeat(8) + '/'].flatMap((prefix) =>
      Object.entries(PLAIN_TEXTS).map(([name, text]) => ({
        name: `${prefix}: ${name}`,
        limit: HEAD,
        prepare: (size) => {
          const place = prefix + text(size)
          return () => placeOf(place)
        },
      })),
    ),
  'header referer': inHeader('referer', '/all/', '', 'https://', 'https://localhost/'),
  'header sec-fetch-site': inHeader('sec-fetch-site', '/all/', '', 'same-'),
  'header traceparent': traced,
  'header user-agent': async () =>
    Object.entries(PLAIN_TEXTS).map(([name, text]) => ({
      name,
      limit: HEAD,
      prepare: (size) => {
        const agent = text(size)
        return () => factorName(agent)
      },
    })),
  'header x-forwarded-for': forwarded('x-forwarded-for', '', '10.0.0.1,'),
  'header x-forwarded-proto': forwarded('x-forwarded-proto', '', 'https,'),
  'header x-forwarded-host': forwarded('x-forwarded-host', '', 'localhost,'),
  'header x-forwarded-port': forwarded('x-forwarded-port', '', '443,'),
  'the path': inPath('/*'),
  'the method': async () => asking(PLAIN_TEXTS, HEAD, (text) => ask(text, '/echo/', {})),
  'a format suffix': inPath('/echo.*'),
  obtainToken: body('/obtain/', 'application/json', CREDENTIALS),
  loginSession: body('/login/', 'application/json', CREDENTIALS, BODY, OWN_PAGE),
  ...Object.fromEntries(KINDS_OF_FIELDS.map(field)),
}
