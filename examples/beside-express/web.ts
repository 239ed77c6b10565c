import { toListener } from 'colophon/node'
import express from 'express'
import app from './app.ts'
import { db } from './books.ts'

export const web = express()
web.disable('x-powered-by')

// The API comes before express.json(), which would read the bodies of its requests.
web.all('/api/*rest', toListener(app))

web.use(express.json({ limit: '100kb' }))

// The shop's old address goes on working, and names its successor.
web.get('/books.json', async (_request, response) => {
  const found = await db.selectFrom('book').select(['title', 'cents']).orderBy('id').execute()
  response.set('Link', '</api/books/>; rel="successor-version"').json(found)
})
web.post('/quote', (request, response) => {
  const { copies } = request.body as { copies?: unknown }
  if (typeof copies !== 'number') return void response.status(400).json({ copies: 'A number.' })
  response.json({ discount: copies >= 10 ? '10 %' : 'none' })
})
web.get('/', (_request, response) => {
  response.send('<!doctype html><title>Books</title><a href="/api/books/">All books</a>')
})
