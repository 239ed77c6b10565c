// npm start: tables, a user with a token, and one server for both.
import app from './app.ts'
import { accounts, database } from './books.ts'
import { web } from './web.ts'

await database.migrate()
await app.open()
const seller =
  (await accounts.users.byUsername('seller')) ??
  (await accounts.users.create({ username: 'seller' }))
const { key } = await accounts.tokens.obtain(seller)
const port = Number(process.env['PORT'] ?? 8000)
const server = web.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`
The shop is at http://127.0.0.1:${port}. Try:

  curl -H 'Authorization: Token ${key}' -d 'title=Emma&cents=1250' http://127.0.0.1:${port}/api/books/
  curl http://127.0.0.1:${port}/books.json
`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())
