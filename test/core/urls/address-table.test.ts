import { expect, test } from 'vitest'
import { compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { defineUrls, include } from '../../../src/core/urls/address-table.ts'

test('a table is given back as it is', () => {
  const table = { home: '/', v1: include('/v1', { list: ['/a/', '/b/'] }) } as const
  expect(defineUrls(table)).toBe(table)
  expect(table.v1).toEqual({ prefix: '/v1', table: { list: ['/a/', '/b/'] } })
})

test('names, namespaces and paths of nested tables', () => {
  const table = defineUrls({
    home: '/',
    v1: include('/:lang<de|en>/v1/', {
      'user-list': '/users/',
      admin: include('/admin', { 'user-detail': ['/users/:id<int>/', '/u/:id<int>'] }),
    }),
  })
  const detail = {
    name: 'v1:admin:user-detail',
    localName: 'user-detail',
    namespace: ['v1', 'admin'],
    parameters: ['lang', 'id'],
  }
  expect(compileUrls(table).routes).toEqual([
    { name: 'home', localName: 'home', namespace: [], path: '/', parameters: [] },
    {
      name: 'v1:user-list',
      localName: 'user-list',
      namespace: ['v1'],
      path: '/:lang<de|en>/v1/users/',
      parameters: ['lang'],
    },
    { ...detail, path: '/:lang<de|en>/v1/admin/users/:id<int>/' },
    { ...detail, path: '/:lang<de|en>/v1/admin/u/:id<int>' },
  ])
})
