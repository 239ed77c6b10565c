import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-75-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-75-detail', { id: 1 }) })),
  api.endpoint('thing-75-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-75-detail', { id: params.id + 1 }), all: reverse('thing-75-list') })),
  api.endpoint('thing-76-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-76-detail', { id: 1 }) })),
  api.endpoint('thing-76-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-76-detail', { id: params.id + 1 }), all: reverse('thing-76-list') })),
  api.endpoint('thing-77-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-77-detail', { id: 1 }) })),
  api.endpoint('thing-77-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-77-detail', { id: params.id + 1 }), all: reverse('thing-77-list') })),
  api.endpoint('thing-78-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-78-detail', { id: 1 }) })),
  api.endpoint('thing-78-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-78-detail', { id: params.id + 1 }), all: reverse('thing-78-list') })),
  api.endpoint('thing-79-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-79-detail', { id: 1 }) })),
  api.endpoint('thing-79-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-79-detail', { id: params.id + 1 }), all: reverse('thing-79-list') })),
  api.endpoint('thing-80-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-80-detail', { id: 1 }) })),
  api.endpoint('thing-80-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-80-detail', { id: params.id + 1 }), all: reverse('thing-80-list') })),
  api.endpoint('thing-81-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-81-detail', { id: 1 }) })),
  api.endpoint('thing-81-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-81-detail', { id: params.id + 1 }), all: reverse('thing-81-list') })),
  api.endpoint('thing-82-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-82-detail', { id: 1 }) })),
  api.endpoint('thing-82-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-82-detail', { id: params.id + 1 }), all: reverse('thing-82-list') })),
  api.endpoint('thing-83-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-83-detail', { id: 1 }) })),
  api.endpoint('thing-83-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-83-detail', { id: params.id + 1 }), all: reverse('thing-83-list') })),
  api.endpoint('thing-84-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-84-detail', { id: 1 }) })),
  api.endpoint('thing-84-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-84-detail', { id: params.id + 1 }), all: reverse('thing-84-list') })),
  api.endpoint('thing-85-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-85-detail', { id: 1 }) })),
  api.endpoint('thing-85-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-85-detail', { id: params.id + 1 }), all: reverse('thing-85-list') })),
  api.endpoint('thing-86-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-86-detail', { id: 1 }) })),
  api.endpoint('thing-86-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-86-detail', { id: params.id + 1 }), all: reverse('thing-86-list') })),
  api.endpoint('thing-87-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-87-detail', { id: 1 }) })),
  api.endpoint('thing-87-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-87-detail', { id: params.id + 1 }), all: reverse('thing-87-list') })),
  api.endpoint('thing-88-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-88-detail', { id: 1 }) })),
  api.endpoint('thing-88-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-88-detail', { id: params.id + 1 }), all: reverse('thing-88-list') })),
  api.endpoint('thing-89-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-89-detail', { id: 1 }) })),
  api.endpoint('thing-89-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-89-detail', { id: params.id + 1 }), all: reverse('thing-89-list') })),
  api.endpoint('thing-90-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-90-detail', { id: 1 }) })),
  api.endpoint('thing-90-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-90-detail', { id: params.id + 1 }), all: reverse('thing-90-list') })),
  api.endpoint('thing-91-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-91-detail', { id: 1 }) })),
  api.endpoint('thing-91-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-91-detail', { id: params.id + 1 }), all: reverse('thing-91-list') })),
  api.endpoint('thing-92-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-92-detail', { id: 1 }) })),
  api.endpoint('thing-92-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-92-detail', { id: params.id + 1 }), all: reverse('thing-92-list') })),
  api.endpoint('thing-93-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-93-detail', { id: 1 }) })),
  api.endpoint('thing-93-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-93-detail', { id: params.id + 1 }), all: reverse('thing-93-list') })),
  api.endpoint('thing-94-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-94-detail', { id: 1 }) })),
  api.endpoint('thing-94-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-94-detail', { id: params.id + 1 }), all: reverse('thing-94-list') })),
  api.endpoint('thing-95-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-95-detail', { id: 1 }) })),
  api.endpoint('thing-95-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-95-detail', { id: params.id + 1 }), all: reverse('thing-95-list') })),
  api.endpoint('thing-96-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-96-detail', { id: 1 }) })),
  api.endpoint('thing-96-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-96-detail', { id: params.id + 1 }), all: reverse('thing-96-list') })),
  api.endpoint('thing-97-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-97-detail', { id: 1 }) })),
  api.endpoint('thing-97-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-97-detail', { id: params.id + 1 }), all: reverse('thing-97-list') })),
  api.endpoint('thing-98-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-98-detail', { id: 1 }) })),
  api.endpoint('thing-98-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-98-detail', { id: params.id + 1 }), all: reverse('thing-98-list') })),
  api.endpoint('thing-99-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-99-detail', { id: 1 }) })),
  api.endpoint('thing-99-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-99-detail', { id: params.id + 1 }), all: reverse('thing-99-list') })),
]
