import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-0-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-0-detail', { id: 1 }) })),
  api.endpoint('thing-0-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-0-detail', { id: params.id + 1 }), all: reverse('thing-0-list') })),
  api.endpoint('thing-1-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-1-detail', { id: 1 }) })),
  api.endpoint('thing-1-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-1-detail', { id: params.id + 1 }), all: reverse('thing-1-list') })),
  api.endpoint('thing-2-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-2-detail', { id: 1 }) })),
  api.endpoint('thing-2-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-2-detail', { id: params.id + 1 }), all: reverse('thing-2-list') })),
  api.endpoint('thing-3-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-3-detail', { id: 1 }) })),
  api.endpoint('thing-3-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-3-detail', { id: params.id + 1 }), all: reverse('thing-3-list') })),
  api.endpoint('thing-4-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-4-detail', { id: 1 }) })),
  api.endpoint('thing-4-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-4-detail', { id: params.id + 1 }), all: reverse('thing-4-list') })),
  api.endpoint('thing-5-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-5-detail', { id: 1 }) })),
  api.endpoint('thing-5-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-5-detail', { id: params.id + 1 }), all: reverse('thing-5-list') })),
  api.endpoint('thing-6-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-6-detail', { id: 1 }) })),
  api.endpoint('thing-6-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-6-detail', { id: params.id + 1 }), all: reverse('thing-6-list') })),
  api.endpoint('thing-7-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-7-detail', { id: 1 }) })),
  api.endpoint('thing-7-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-7-detail', { id: params.id + 1 }), all: reverse('thing-7-list') })),
  api.endpoint('thing-8-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-8-detail', { id: 1 }) })),
  api.endpoint('thing-8-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-8-detail', { id: params.id + 1 }), all: reverse('thing-8-list') })),
  api.endpoint('thing-9-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-9-detail', { id: 1 }) })),
  api.endpoint('thing-9-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-9-detail', { id: params.id + 1 }), all: reverse('thing-9-list') })),
  api.endpoint('thing-10-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-10-detail', { id: 1 }) })),
  api.endpoint('thing-10-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-10-detail', { id: params.id + 1 }), all: reverse('thing-10-list') })),
  api.endpoint('thing-11-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-11-detail', { id: 1 }) })),
  api.endpoint('thing-11-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-11-detail', { id: params.id + 1 }), all: reverse('thing-11-list') })),
  api.endpoint('thing-12-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-12-detail', { id: 1 }) })),
  api.endpoint('thing-12-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-12-detail', { id: params.id + 1 }), all: reverse('thing-12-list') })),
  api.endpoint('thing-13-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-13-detail', { id: 1 }) })),
  api.endpoint('thing-13-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-13-detail', { id: params.id + 1 }), all: reverse('thing-13-list') })),
  api.endpoint('thing-14-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-14-detail', { id: 1 }) })),
  api.endpoint('thing-14-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-14-detail', { id: params.id + 1 }), all: reverse('thing-14-list') })),
  api.endpoint('thing-15-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-15-detail', { id: 1 }) })),
  api.endpoint('thing-15-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-15-detail', { id: params.id + 1 }), all: reverse('thing-15-list') })),
  api.endpoint('thing-16-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-16-detail', { id: 1 }) })),
  api.endpoint('thing-16-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-16-detail', { id: params.id + 1 }), all: reverse('thing-16-list') })),
  api.endpoint('thing-17-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-17-detail', { id: 1 }) })),
  api.endpoint('thing-17-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-17-detail', { id: params.id + 1 }), all: reverse('thing-17-list') })),
  api.endpoint('thing-18-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-18-detail', { id: 1 }) })),
  api.endpoint('thing-18-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-18-detail', { id: params.id + 1 }), all: reverse('thing-18-list') })),
  api.endpoint('thing-19-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-19-detail', { id: 1 }) })),
  api.endpoint('thing-19-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-19-detail', { id: params.id + 1 }), all: reverse('thing-19-list') })),
  api.endpoint('thing-20-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-20-detail', { id: 1 }) })),
  api.endpoint('thing-20-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-20-detail', { id: params.id + 1 }), all: reverse('thing-20-list') })),
  api.endpoint('thing-21-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-21-detail', { id: 1 }) })),
  api.endpoint('thing-21-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-21-detail', { id: params.id + 1 }), all: reverse('thing-21-list') })),
  api.endpoint('thing-22-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-22-detail', { id: 1 }) })),
  api.endpoint('thing-22-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-22-detail', { id: params.id + 1 }), all: reverse('thing-22-list') })),
  api.endpoint('thing-23-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-23-detail', { id: 1 }) })),
  api.endpoint('thing-23-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-23-detail', { id: params.id + 1 }), all: reverse('thing-23-list') })),
  api.endpoint('thing-24-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-24-detail', { id: 1 }) })),
  api.endpoint('thing-24-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-24-detail', { id: params.id + 1 }), all: reverse('thing-24-list') })),
]
