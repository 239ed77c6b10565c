import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-400-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-400-detail', { id: 1 }) })),
  api.endpoint('thing-400-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-400-detail', { id: params.id + 1 }), all: reverse('thing-400-list') })),
  api.endpoint('thing-401-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-401-detail', { id: 1 }) })),
  api.endpoint('thing-401-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-401-detail', { id: params.id + 1 }), all: reverse('thing-401-list') })),
  api.endpoint('thing-402-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-402-detail', { id: 1 }) })),
  api.endpoint('thing-402-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-402-detail', { id: params.id + 1 }), all: reverse('thing-402-list') })),
  api.endpoint('thing-403-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-403-detail', { id: 1 }) })),
  api.endpoint('thing-403-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-403-detail', { id: params.id + 1 }), all: reverse('thing-403-list') })),
  api.endpoint('thing-404-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-404-detail', { id: 1 }) })),
  api.endpoint('thing-404-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-404-detail', { id: params.id + 1 }), all: reverse('thing-404-list') })),
  api.endpoint('thing-405-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-405-detail', { id: 1 }) })),
  api.endpoint('thing-405-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-405-detail', { id: params.id + 1 }), all: reverse('thing-405-list') })),
  api.endpoint('thing-406-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-406-detail', { id: 1 }) })),
  api.endpoint('thing-406-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-406-detail', { id: params.id + 1 }), all: reverse('thing-406-list') })),
  api.endpoint('thing-407-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-407-detail', { id: 1 }) })),
  api.endpoint('thing-407-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-407-detail', { id: params.id + 1 }), all: reverse('thing-407-list') })),
  api.endpoint('thing-408-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-408-detail', { id: 1 }) })),
  api.endpoint('thing-408-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-408-detail', { id: params.id + 1 }), all: reverse('thing-408-list') })),
  api.endpoint('thing-409-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-409-detail', { id: 1 }) })),
  api.endpoint('thing-409-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-409-detail', { id: params.id + 1 }), all: reverse('thing-409-list') })),
  api.endpoint('thing-410-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-410-detail', { id: 1 }) })),
  api.endpoint('thing-410-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-410-detail', { id: params.id + 1 }), all: reverse('thing-410-list') })),
  api.endpoint('thing-411-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-411-detail', { id: 1 }) })),
  api.endpoint('thing-411-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-411-detail', { id: params.id + 1 }), all: reverse('thing-411-list') })),
  api.endpoint('thing-412-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-412-detail', { id: 1 }) })),
  api.endpoint('thing-412-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-412-detail', { id: params.id + 1 }), all: reverse('thing-412-list') })),
  api.endpoint('thing-413-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-413-detail', { id: 1 }) })),
  api.endpoint('thing-413-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-413-detail', { id: params.id + 1 }), all: reverse('thing-413-list') })),
  api.endpoint('thing-414-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-414-detail', { id: 1 }) })),
  api.endpoint('thing-414-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-414-detail', { id: params.id + 1 }), all: reverse('thing-414-list') })),
  api.endpoint('thing-415-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-415-detail', { id: 1 }) })),
  api.endpoint('thing-415-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-415-detail', { id: params.id + 1 }), all: reverse('thing-415-list') })),
  api.endpoint('thing-416-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-416-detail', { id: 1 }) })),
  api.endpoint('thing-416-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-416-detail', { id: params.id + 1 }), all: reverse('thing-416-list') })),
  api.endpoint('thing-417-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-417-detail', { id: 1 }) })),
  api.endpoint('thing-417-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-417-detail', { id: params.id + 1 }), all: reverse('thing-417-list') })),
  api.endpoint('thing-418-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-418-detail', { id: 1 }) })),
  api.endpoint('thing-418-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-418-detail', { id: params.id + 1 }), all: reverse('thing-418-list') })),
  api.endpoint('thing-419-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-419-detail', { id: 1 }) })),
  api.endpoint('thing-419-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-419-detail', { id: params.id + 1 }), all: reverse('thing-419-list') })),
  api.endpoint('thing-420-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-420-detail', { id: 1 }) })),
  api.endpoint('thing-420-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-420-detail', { id: params.id + 1 }), all: reverse('thing-420-list') })),
  api.endpoint('thing-421-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-421-detail', { id: 1 }) })),
  api.endpoint('thing-421-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-421-detail', { id: params.id + 1 }), all: reverse('thing-421-list') })),
  api.endpoint('thing-422-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-422-detail', { id: 1 }) })),
  api.endpoint('thing-422-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-422-detail', { id: params.id + 1 }), all: reverse('thing-422-list') })),
  api.endpoint('thing-423-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-423-detail', { id: 1 }) })),
  api.endpoint('thing-423-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-423-detail', { id: params.id + 1 }), all: reverse('thing-423-list') })),
  api.endpoint('thing-424-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-424-detail', { id: 1 }) })),
  api.endpoint('thing-424-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-424-detail', { id: params.id + 1 }), all: reverse('thing-424-list') })),
]
