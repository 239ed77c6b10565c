import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-25-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-25-detail', { id: 1 }) })),
  api.endpoint('thing-25-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-25-detail', { id: params.id + 1 }), all: reverse('thing-25-list') })),
  api.endpoint('thing-26-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-26-detail', { id: 1 }) })),
  api.endpoint('thing-26-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-26-detail', { id: params.id + 1 }), all: reverse('thing-26-list') })),
  api.endpoint('thing-27-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-27-detail', { id: 1 }) })),
  api.endpoint('thing-27-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-27-detail', { id: params.id + 1 }), all: reverse('thing-27-list') })),
  api.endpoint('thing-28-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-28-detail', { id: 1 }) })),
  api.endpoint('thing-28-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-28-detail', { id: params.id + 1 }), all: reverse('thing-28-list') })),
  api.endpoint('thing-29-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-29-detail', { id: 1 }) })),
  api.endpoint('thing-29-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-29-detail', { id: params.id + 1 }), all: reverse('thing-29-list') })),
  api.endpoint('thing-30-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-30-detail', { id: 1 }) })),
  api.endpoint('thing-30-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-30-detail', { id: params.id + 1 }), all: reverse('thing-30-list') })),
  api.endpoint('thing-31-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-31-detail', { id: 1 }) })),
  api.endpoint('thing-31-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-31-detail', { id: params.id + 1 }), all: reverse('thing-31-list') })),
  api.endpoint('thing-32-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-32-detail', { id: 1 }) })),
  api.endpoint('thing-32-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-32-detail', { id: params.id + 1 }), all: reverse('thing-32-list') })),
  api.endpoint('thing-33-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-33-detail', { id: 1 }) })),
  api.endpoint('thing-33-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-33-detail', { id: params.id + 1 }), all: reverse('thing-33-list') })),
  api.endpoint('thing-34-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-34-detail', { id: 1 }) })),
  api.endpoint('thing-34-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-34-detail', { id: params.id + 1 }), all: reverse('thing-34-list') })),
  api.endpoint('thing-35-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-35-detail', { id: 1 }) })),
  api.endpoint('thing-35-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-35-detail', { id: params.id + 1 }), all: reverse('thing-35-list') })),
  api.endpoint('thing-36-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-36-detail', { id: 1 }) })),
  api.endpoint('thing-36-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-36-detail', { id: params.id + 1 }), all: reverse('thing-36-list') })),
  api.endpoint('thing-37-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-37-detail', { id: 1 }) })),
  api.endpoint('thing-37-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-37-detail', { id: params.id + 1 }), all: reverse('thing-37-list') })),
  api.endpoint('thing-38-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-38-detail', { id: 1 }) })),
  api.endpoint('thing-38-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-38-detail', { id: params.id + 1 }), all: reverse('thing-38-list') })),
  api.endpoint('thing-39-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-39-detail', { id: 1 }) })),
  api.endpoint('thing-39-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-39-detail', { id: params.id + 1 }), all: reverse('thing-39-list') })),
  api.endpoint('thing-40-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-40-detail', { id: 1 }) })),
  api.endpoint('thing-40-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-40-detail', { id: params.id + 1 }), all: reverse('thing-40-list') })),
  api.endpoint('thing-41-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-41-detail', { id: 1 }) })),
  api.endpoint('thing-41-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-41-detail', { id: params.id + 1 }), all: reverse('thing-41-list') })),
  api.endpoint('thing-42-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-42-detail', { id: 1 }) })),
  api.endpoint('thing-42-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-42-detail', { id: params.id + 1 }), all: reverse('thing-42-list') })),
  api.endpoint('thing-43-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-43-detail', { id: 1 }) })),
  api.endpoint('thing-43-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-43-detail', { id: params.id + 1 }), all: reverse('thing-43-list') })),
  api.endpoint('thing-44-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-44-detail', { id: 1 }) })),
  api.endpoint('thing-44-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-44-detail', { id: params.id + 1 }), all: reverse('thing-44-list') })),
  api.endpoint('thing-45-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-45-detail', { id: 1 }) })),
  api.endpoint('thing-45-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-45-detail', { id: params.id + 1 }), all: reverse('thing-45-list') })),
  api.endpoint('thing-46-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-46-detail', { id: 1 }) })),
  api.endpoint('thing-46-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-46-detail', { id: params.id + 1 }), all: reverse('thing-46-list') })),
  api.endpoint('thing-47-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-47-detail', { id: 1 }) })),
  api.endpoint('thing-47-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-47-detail', { id: params.id + 1 }), all: reverse('thing-47-list') })),
  api.endpoint('thing-48-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-48-detail', { id: 1 }) })),
  api.endpoint('thing-48-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-48-detail', { id: params.id + 1 }), all: reverse('thing-48-list') })),
  api.endpoint('thing-49-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-49-detail', { id: 1 }) })),
  api.endpoint('thing-49-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-49-detail', { id: params.id + 1 }), all: reverse('thing-49-list') })),
]
