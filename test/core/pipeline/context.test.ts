import { expect, test } from 'vitest'
import { NotFound, configurationOf, defineApi, handleException, reply } from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'

const configuration = configurationOf()

test('what a handler takes out of its request works alone', async () => {
  const api = defineApi({ urls: { echo: '/echo/' } })
  const echo = api.endpoint('echo').post(async ({ body, header, reverse, query }) => ({
    body: await body(),
    again: await body(),
    type: header('content-type'),
    link: reverse('echo'),
    page: query.get('page'),
  }))
  const app = api.serve([echo], { configuration })
  const { data } = await client(app).post('/echo/?page=2', { json: { a: 1 } })
  expect(data).toEqual({
    body: { a: 1 },
    again: { a: 1 },
    type: 'application/json',
    link: 'http://localhost/echo/',
    page: '2',
  })
})

test('I12: an exception handler that hands on to ours keeps problem details; one with a form of its own keeps that', async () => {
  const api = defineApi({ urls: { handed: '/handed/', own: '/own/' } })
  const missing = (): never => {
    throw new NotFound()
  }
  const app = api.serve(
    [
      api
        .endpoint('handed', {
          exceptionHandler: (error, request) => handleException(error, request),
        })
        .get(missing),
      api
        .endpoint('own', { exceptionHandler: () => reply({ mine: true }, { status: 404 }) })
        .get(missing),
    ],
    { configuration },
  )
  const headers = { accept: 'application/json, application/problem+json' }
  const handed = await client(app).get('/handed/', { headers })
  expect(handed.header('content-type')).toBe('application/problem+json')
  expect(handed.data).toMatchObject({ status: 404, code: 'not_found' })
  const own = await client(app).get('/own/', { headers })
  expect([own.header('content-type'), own.data]).toEqual(['application/json', { mine: true }])
})
