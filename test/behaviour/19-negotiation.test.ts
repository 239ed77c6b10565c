import { describe } from 'vitest'
import { HTMLRenderer, JSONRenderer, NotFound, defineApi } from '../../src/index.ts'
import type { Renderer } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, quiet, addresses } from './fixtures.ts'

const text = (mediaType: string, format: string, contentType?: string): Renderer => ({
  mediaType,
  format,
  ...(contentType ? { contentType } : {}),
  render: ({ data }, { request }) =>
    `${format} ${JSON.stringify(data)} ${request.accepted.mediaType} ${JSON.stringify(request.accepted.parameters)}`,
})
const vendor = new JSONRenderer({ mediaType: 'application/vnd.megacorp+json', format: 'vendor' })
const LISTS: Readonly<Record<string, readonly Renderer[]>> = {
  default: [new JSONRenderer(), new HTMLRenderer()],
  json: [new JSONRenderer()],
  vendor: [vendor],
  'vendor-json': [vendor, new JSONRenderer()],
  three: [
    text('text/plain', 'txt', 'text/plain; charset=utf-8'),
    text('text/csv', 'csv'),
    new JSONRenderer(),
  ],
  versions: [text('application/x;v=2', 'x2'), text('application/x', 'x1')],
}
const api = defineApi({
  urls: addresses([...Object.keys(LISTS), 'missing', 'switched', 'renamed']),
  formatSuffixes: true,
})
const ok = () => ({ a: 1 })
const app = api.serve(
  [
    ...Object.entries(LISTS).map(([name, renderers]) => api.endpoint(name, { renderers }).get(ok)),
    api.endpoint('missing').get(() => {
      throw new NotFound()
    }),
    api.endpoint('switched', { urlFormatOverride: null }).get(ok),
    api.endpoint('renamed', { urlFormatOverride: 'as' }).get(ok),
  ],
  quiet,
)
const accepts = (accept: string) => ({ headers: { accept } })
const as = (type: string, status = 200) => ({ status, headers: { 'content-type': type } })
const JSON_TYPE = as('application/json')
const PAGE = as('text/html; charset=utf-8')
const not = {
  status: 406,
  data: DETAIL,
  headers: { 'content-type': 'application/json', vary: 'Accept' },
}
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const formats: Row[] = [
  ['N2 the parameter chooses', 'GET /default/?format=api', PAGE],
  ['N2 the suffix chooses', 'GET /default.api', PAGE],
  ['N2 the suffix wins over the parameter', 'GET /default.json?format=api', JSON_TYPE],
  ['N2 an empty parameter is ignored', 'GET /default/?format=', PAGE, accepts('text/html')],
  ['N2 the last of several', 'GET /default/?format=json&format=api', PAGE],
  ["N2 also by a name of one's own", 'GET /three/?format=csv', as('text/csv')],
  [
    'N3 a format that nothing has',
    'GET /default/?format=xml',
    { status: 404, data: DETAIL, headers: { 'content-type': 'application/json' } },
  ],
  [
    'N3 shown by the first renderer, whatever is accepted',
    'GET /default/?format=xml',
    { status: 404, data: DETAIL },
    accepts('text/html'),
  ],
  ['N3 as a suffix', 'GET /default.xml', 404],
  ['N3 formats are case-sensitive', 'GET /default/?format=JSON', 404],
  ['I13 a format wins over Accept', 'GET /default/?format=json', JSON_TYPE, accepts('text/html')],
  [
    'I13 also over a refusal',
    'GET /default/?format=json',
    JSON_TYPE,
    accepts('application/json;q=0'),
  ],
  ['N5 a slash may follow the suffix', 'GET /default.json/', JSON_TYPE],
  ['N5 suffixes are in lower case', 'GET /default.JSON', { status: 404, headers: { allow: null } }],
  [
    'N5 they stand in place of the slash',
    'GET /default/.json',
    { status: 404, headers: { allow: null } },
  ],
  ['the parameter can be switched off', 'GET /switched/?format=api', JSON_TYPE],
  ['the parameter can be renamed', 'GET /renamed/?as=api&format=json', PAGE],
]
const accept: Row[] = [
  ['N10 no header', 'GET /default/', JSON_TYPE],
  ['N10 an empty header', 'GET /default/', not, accepts('')],
  ['N21 anything', 'GET /default/', JSON_TYPE, accepts('*/*')],
  ['N21 a browser', 'GET /default/', PAGE, accepts(BROWSER)],
  [
    'N13 the order of the server decides between equals',
    'GET /default/',
    JSON_TYPE,
    accepts('text/html, application/json'),
  ],
  ['N12 a full type before a wildcard', 'GET /default/', PAGE, accepts('*/*, text/html')],
  ['N12 a type before a wildcard', 'GET /default/', PAGE, accepts('*/*, text/*')],
  ['I13 a weight counts', 'GET /default/', PAGE, accepts('application/json;q=0.5, text/html')],
  ['I13 q=0 is never served', 'GET /default/', PAGE, accepts('application/json;q=0, */*;q=0.1')],
  ['I13 q=0 for everything', 'GET /default/', not, accepts('*/*;q=0')],
  ['N14 in any case', 'GET /default/', PAGE, accepts('Text/HTML')],
  [
    'N14 parameters of the range alone do not matter',
    'GET /json/',
    JSON_TYPE,
    accepts('application/json; version=v1'),
  ],
  [
    'N14 a renderer with parameters wants them',
    'GET /versions/',
    { status: 200, text: /^x2 .* application\/x \{"v":"2"\}$/ },
    accepts('application/x; v=2'),
  ],
  [
    'N14 it is not meant by a wildcard',
    'GET /versions/',
    { status: 200, text: /^x1 / },
    accepts('*/*'),
  ],
  [
    'N14 nor by the type alone',
    'GET /versions/',
    { status: 200, text: /^x1 / },
    accepts('application/x'),
  ],
  [
    'N15 the parameters of a wildcard are handed on',
    'GET /three/',
    { status: 200, text: /text\/plain \{"a":"b"\}$/ },
    accepts('*/*; a=b'),
  ],
  ['N20 nothing fits', 'GET /default/', not, accepts('image/png')],
  [
    'N20 shown by the first renderer, with its type',
    'GET /vendor-json/',
    as('application/vnd.megacorp+json', 406),
    accepts('image/png'),
  ],
  ['N20 text without a slash is no type', 'GET /default/', not, accepts('json')],
  [
    "V25 a vendor's type",
    'GET /vendor/',
    as('application/vnd.megacorp+json'),
    accepts('application/vnd.megacorp+json; version=v1'),
  ],
  ['V25 is not JSON in general', 'GET /vendor/', 406, accepts('application/json')],
  ['V25 unless that is listed too', 'GET /vendor-json/', JSON_TYPE, accepts('application/json')],
  [
    'two headers are one list',
    'GET /default/',
    PAGE,
    { headers: { accept: ['image/png', 'text/html'] } },
  ],
  [
    'E15 an error is shown in what was agreed on',
    'GET /missing/',
    as('text/html; charset=utf-8', 404),
    accepts('text/html'),
  ],
  ['E15 also 405', 'PUT /default/', as('text/html; charset=utf-8', 405), accepts('text/html')],
]
const types: Row[] = [
  ['N30 a charset where the renderer says one', 'GET /three/', as('text/plain; charset=utf-8')],
  ['N30 none for JSON', 'GET /three/', JSON_TYPE, accepts('application/json')],
  [
    'N31, V26 parameters of Accept are not repeated',
    'GET /default/',
    JSON_TYPE,
    accepts('application/json; version=v1; q=0.5'),
  ],
]

describe('N2–N5 formats', () => {
  throughDoors(app, formats)
})
describe('N10–N21 Accept, as I13 has it', () => {
  throughDoors(app, accept)
})
describe('N30, N31 Content-Type', () => {
  throughDoors(app, types)
})
