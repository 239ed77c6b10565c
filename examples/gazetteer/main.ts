// One command for a first look: tables, data, a user with a token, and the service.
import { serve } from 'colophon/node'
import app, { accounts, database } from './app.ts'
import { load } from './load.ts'

await database.migrate()
await load()
const visitor =
  (await accounts.users.byUsername('visitor')) ??
  (await accounts.users.create({ username: 'visitor' }))
const { key } = await accounts.tokens.obtain(visitor)
const server = await serve(app)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())

console.log(`
The gazetteer is at ${server.url}. City data: GeoNames (geonames.org), CC BY 4.0.
The token of the user "visitor" is ${key}. Try:

  curl ${server.url}/v1/countries/
  curl -H 'Authorization: Token ${key}' ${server.url}/v1/cities/
  curl -H 'Authorization: Token ${key}' '${server.url}/v2/cities/?page=last'
`)
