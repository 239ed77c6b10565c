import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from 'colophon/testing'
import app from './app.ts'

const { get } = client(app)

test('the first page says where to go on', async () => {
  const { status, data } = await get('/')
  assert.equal(status, 200)
  assert.deepEqual(data, { hello: 'http://localhost/hello/world/' })
})

test('the address says who is greeted', async () => {
  assert.deepEqual((await get('/hello/Ada/')).data, { hello: 'Ada' })
  assert.equal((await get('/hello/')).status, 404)
})
