import { toListener } from 'colophon/node'
import express from 'express'
import app from './app.ts'

export const web = express()
web.disable('x-powered-by')

// This comes before express.json(), which would read the body, and gets whole paths for right links.
web.all('/api/*rest', toListener(app))

web.use(express.json())
web.get('/', (_request, response) => {
  response.send('<!doctype html><title>Home</title><a href="/api/notes/">Notes</a>')
})
