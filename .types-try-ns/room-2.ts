import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-50-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-50-detail', { id: 1 }) })),
  api.endpoint('thing-50-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-50-detail', { id: params.id + 1 }), all: reverse('thing-50-list') })),
  api.endpoint('thing-51-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-51-detail', { id: 1 }) })),
  api.endpoint('thing-51-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-51-detail', { id: params.id + 1 }), all: reverse('thing-51-list') })),
  api.endpoint('thing-52-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-52-detail', { id: 1 }) })),
  api.endpoint('thing-52-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-52-detail', { id: params.id + 1 }), all: reverse('thing-52-list') })),
  api.endpoint('thing-53-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-53-detail', { id: 1 }) })),
  api.endpoint('thing-53-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-53-detail', { id: params.id + 1 }), all: reverse('thing-53-list') })),
  api.endpoint('thing-54-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-54-detail', { id: 1 }) })),
  api.endpoint('thing-54-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-54-detail', { id: params.id + 1 }), all: reverse('thing-54-list') })),
  api.endpoint('thing-55-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-55-detail', { id: 1 }) })),
  api.endpoint('thing-55-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-55-detail', { id: params.id + 1 }), all: reverse('thing-55-list') })),
  api.endpoint('thing-56-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-56-detail', { id: 1 }) })),
  api.endpoint('thing-56-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-56-detail', { id: params.id + 1 }), all: reverse('thing-56-list') })),
  api.endpoint('thing-57-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-57-detail', { id: 1 }) })),
  api.endpoint('thing-57-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-57-detail', { id: params.id + 1 }), all: reverse('thing-57-list') })),
  api.endpoint('thing-58-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-58-detail', { id: 1 }) })),
  api.endpoint('thing-58-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-58-detail', { id: params.id + 1 }), all: reverse('thing-58-list') })),
  api.endpoint('thing-59-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-59-detail', { id: 1 }) })),
  api.endpoint('thing-59-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-59-detail', { id: params.id + 1 }), all: reverse('thing-59-list') })),
  api.endpoint('thing-60-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-60-detail', { id: 1 }) })),
  api.endpoint('thing-60-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-60-detail', { id: params.id + 1 }), all: reverse('thing-60-list') })),
  api.endpoint('thing-61-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-61-detail', { id: 1 }) })),
  api.endpoint('thing-61-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-61-detail', { id: params.id + 1 }), all: reverse('thing-61-list') })),
  api.endpoint('thing-62-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-62-detail', { id: 1 }) })),
  api.endpoint('thing-62-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-62-detail', { id: params.id + 1 }), all: reverse('thing-62-list') })),
  api.endpoint('thing-63-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-63-detail', { id: 1 }) })),
  api.endpoint('thing-63-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-63-detail', { id: params.id + 1 }), all: reverse('thing-63-list') })),
  api.endpoint('thing-64-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-64-detail', { id: 1 }) })),
  api.endpoint('thing-64-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-64-detail', { id: params.id + 1 }), all: reverse('thing-64-list') })),
  api.endpoint('thing-65-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-65-detail', { id: 1 }) })),
  api.endpoint('thing-65-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-65-detail', { id: params.id + 1 }), all: reverse('thing-65-list') })),
  api.endpoint('thing-66-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-66-detail', { id: 1 }) })),
  api.endpoint('thing-66-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-66-detail', { id: params.id + 1 }), all: reverse('thing-66-list') })),
  api.endpoint('thing-67-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-67-detail', { id: 1 }) })),
  api.endpoint('thing-67-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-67-detail', { id: params.id + 1 }), all: reverse('thing-67-list') })),
  api.endpoint('thing-68-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-68-detail', { id: 1 }) })),
  api.endpoint('thing-68-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-68-detail', { id: params.id + 1 }), all: reverse('thing-68-list') })),
  api.endpoint('thing-69-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-69-detail', { id: 1 }) })),
  api.endpoint('thing-69-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-69-detail', { id: params.id + 1 }), all: reverse('thing-69-list') })),
  api.endpoint('thing-70-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-70-detail', { id: 1 }) })),
  api.endpoint('thing-70-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-70-detail', { id: params.id + 1 }), all: reverse('thing-70-list') })),
  api.endpoint('thing-71-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-71-detail', { id: 1 }) })),
  api.endpoint('thing-71-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-71-detail', { id: params.id + 1 }), all: reverse('thing-71-list') })),
  api.endpoint('thing-72-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-72-detail', { id: 1 }) })),
  api.endpoint('thing-72-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-72-detail', { id: params.id + 1 }), all: reverse('thing-72-list') })),
  api.endpoint('thing-73-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-73-detail', { id: 1 }) })),
  api.endpoint('thing-73-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-73-detail', { id: params.id + 1 }), all: reverse('thing-73-list') })),
  api.endpoint('thing-74-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-74-detail', { id: 1 }) })),
  api.endpoint('thing-74-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-74-detail', { id: params.id + 1 }), all: reverse('thing-74-list') })),
]
