import { toListener } from 'colophon/node'
import express from 'express'
import app from './app.ts'

export const web = express()
web.disable('x-powered-by')

// Before express.json(): whoever reads the body first has it. Whole paths, so that links are right.
web.all('/api/*rest', toListener(app))

web.use(express.json())
web.get('/', (_request, response) => {
  response.send('<!doctype html><title>Home</title><a href="/api/notes/">Notes</a>')
})
