import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-350-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-350-detail', { id: 1 }) })),
  api.endpoint('thing-350-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-350-detail', { id: params.id + 1 }), all: reverse('thing-350-list') })),
  api.endpoint('thing-351-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-351-detail', { id: 1 }) })),
  api.endpoint('thing-351-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-351-detail', { id: params.id + 1 }), all: reverse('thing-351-list') })),
  api.endpoint('thing-352-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-352-detail', { id: 1 }) })),
  api.endpoint('thing-352-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-352-detail', { id: params.id + 1 }), all: reverse('thing-352-list') })),
  api.endpoint('thing-353-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-353-detail', { id: 1 }) })),
  api.endpoint('thing-353-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-353-detail', { id: params.id + 1 }), all: reverse('thing-353-list') })),
  api.endpoint('thing-354-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-354-detail', { id: 1 }) })),
  api.endpoint('thing-354-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-354-detail', { id: params.id + 1 }), all: reverse('thing-354-list') })),
  api.endpoint('thing-355-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-355-detail', { id: 1 }) })),
  api.endpoint('thing-355-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-355-detail', { id: params.id + 1 }), all: reverse('thing-355-list') })),
  api.endpoint('thing-356-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-356-detail', { id: 1 }) })),
  api.endpoint('thing-356-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-356-detail', { id: params.id + 1 }), all: reverse('thing-356-list') })),
  api.endpoint('thing-357-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-357-detail', { id: 1 }) })),
  api.endpoint('thing-357-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-357-detail', { id: params.id + 1 }), all: reverse('thing-357-list') })),
  api.endpoint('thing-358-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-358-detail', { id: 1 }) })),
  api.endpoint('thing-358-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-358-detail', { id: params.id + 1 }), all: reverse('thing-358-list') })),
  api.endpoint('thing-359-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-359-detail', { id: 1 }) })),
  api.endpoint('thing-359-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-359-detail', { id: params.id + 1 }), all: reverse('thing-359-list') })),
  api.endpoint('thing-360-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-360-detail', { id: 1 }) })),
  api.endpoint('thing-360-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-360-detail', { id: params.id + 1 }), all: reverse('thing-360-list') })),
  api.endpoint('thing-361-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-361-detail', { id: 1 }) })),
  api.endpoint('thing-361-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-361-detail', { id: params.id + 1 }), all: reverse('thing-361-list') })),
  api.endpoint('thing-362-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-362-detail', { id: 1 }) })),
  api.endpoint('thing-362-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-362-detail', { id: params.id + 1 }), all: reverse('thing-362-list') })),
  api.endpoint('thing-363-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-363-detail', { id: 1 }) })),
  api.endpoint('thing-363-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-363-detail', { id: params.id + 1 }), all: reverse('thing-363-list') })),
  api.endpoint('thing-364-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-364-detail', { id: 1 }) })),
  api.endpoint('thing-364-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-364-detail', { id: params.id + 1 }), all: reverse('thing-364-list') })),
  api.endpoint('thing-365-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-365-detail', { id: 1 }) })),
  api.endpoint('thing-365-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-365-detail', { id: params.id + 1 }), all: reverse('thing-365-list') })),
  api.endpoint('thing-366-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-366-detail', { id: 1 }) })),
  api.endpoint('thing-366-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-366-detail', { id: params.id + 1 }), all: reverse('thing-366-list') })),
  api.endpoint('thing-367-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-367-detail', { id: 1 }) })),
  api.endpoint('thing-367-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-367-detail', { id: params.id + 1 }), all: reverse('thing-367-list') })),
  api.endpoint('thing-368-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-368-detail', { id: 1 }) })),
  api.endpoint('thing-368-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-368-detail', { id: params.id + 1 }), all: reverse('thing-368-list') })),
  api.endpoint('thing-369-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-369-detail', { id: 1 }) })),
  api.endpoint('thing-369-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-369-detail', { id: params.id + 1 }), all: reverse('thing-369-list') })),
  api.endpoint('thing-370-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-370-detail', { id: 1 }) })),
  api.endpoint('thing-370-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-370-detail', { id: params.id + 1 }), all: reverse('thing-370-list') })),
  api.endpoint('thing-371-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-371-detail', { id: 1 }) })),
  api.endpoint('thing-371-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-371-detail', { id: params.id + 1 }), all: reverse('thing-371-list') })),
  api.endpoint('thing-372-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-372-detail', { id: 1 }) })),
  api.endpoint('thing-372-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-372-detail', { id: params.id + 1 }), all: reverse('thing-372-list') })),
  api.endpoint('thing-373-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-373-detail', { id: 1 }) })),
  api.endpoint('thing-373-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-373-detail', { id: params.id + 1 }), all: reverse('thing-373-list') })),
  api.endpoint('thing-374-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-374-detail', { id: 1 }) })),
  api.endpoint('thing-374-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-374-detail', { id: params.id + 1 }), all: reverse('thing-374-list') })),
]
