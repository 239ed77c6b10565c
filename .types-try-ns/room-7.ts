import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-175-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-175-detail', { id: 1 }) })),
  api.endpoint('thing-175-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-175-detail', { id: params.id + 1 }), all: reverse('thing-175-list') })),
  api.endpoint('thing-176-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-176-detail', { id: 1 }) })),
  api.endpoint('thing-176-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-176-detail', { id: params.id + 1 }), all: reverse('thing-176-list') })),
  api.endpoint('thing-177-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-177-detail', { id: 1 }) })),
  api.endpoint('thing-177-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-177-detail', { id: params.id + 1 }), all: reverse('thing-177-list') })),
  api.endpoint('thing-178-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-178-detail', { id: 1 }) })),
  api.endpoint('thing-178-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-178-detail', { id: params.id + 1 }), all: reverse('thing-178-list') })),
  api.endpoint('thing-179-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-179-detail', { id: 1 }) })),
  api.endpoint('thing-179-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-179-detail', { id: params.id + 1 }), all: reverse('thing-179-list') })),
  api.endpoint('thing-180-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-180-detail', { id: 1 }) })),
  api.endpoint('thing-180-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-180-detail', { id: params.id + 1 }), all: reverse('thing-180-list') })),
  api.endpoint('thing-181-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-181-detail', { id: 1 }) })),
  api.endpoint('thing-181-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-181-detail', { id: params.id + 1 }), all: reverse('thing-181-list') })),
  api.endpoint('thing-182-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-182-detail', { id: 1 }) })),
  api.endpoint('thing-182-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-182-detail', { id: params.id + 1 }), all: reverse('thing-182-list') })),
  api.endpoint('thing-183-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-183-detail', { id: 1 }) })),
  api.endpoint('thing-183-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-183-detail', { id: params.id + 1 }), all: reverse('thing-183-list') })),
  api.endpoint('thing-184-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-184-detail', { id: 1 }) })),
  api.endpoint('thing-184-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-184-detail', { id: params.id + 1 }), all: reverse('thing-184-list') })),
  api.endpoint('thing-185-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-185-detail', { id: 1 }) })),
  api.endpoint('thing-185-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-185-detail', { id: params.id + 1 }), all: reverse('thing-185-list') })),
  api.endpoint('thing-186-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-186-detail', { id: 1 }) })),
  api.endpoint('thing-186-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-186-detail', { id: params.id + 1 }), all: reverse('thing-186-list') })),
  api.endpoint('thing-187-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-187-detail', { id: 1 }) })),
  api.endpoint('thing-187-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-187-detail', { id: params.id + 1 }), all: reverse('thing-187-list') })),
  api.endpoint('thing-188-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-188-detail', { id: 1 }) })),
  api.endpoint('thing-188-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-188-detail', { id: params.id + 1 }), all: reverse('thing-188-list') })),
  api.endpoint('thing-189-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-189-detail', { id: 1 }) })),
  api.endpoint('thing-189-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-189-detail', { id: params.id + 1 }), all: reverse('thing-189-list') })),
  api.endpoint('thing-190-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-190-detail', { id: 1 }) })),
  api.endpoint('thing-190-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-190-detail', { id: params.id + 1 }), all: reverse('thing-190-list') })),
  api.endpoint('thing-191-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-191-detail', { id: 1 }) })),
  api.endpoint('thing-191-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-191-detail', { id: params.id + 1 }), all: reverse('thing-191-list') })),
  api.endpoint('thing-192-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-192-detail', { id: 1 }) })),
  api.endpoint('thing-192-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-192-detail', { id: params.id + 1 }), all: reverse('thing-192-list') })),
  api.endpoint('thing-193-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-193-detail', { id: 1 }) })),
  api.endpoint('thing-193-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-193-detail', { id: params.id + 1 }), all: reverse('thing-193-list') })),
  api.endpoint('thing-194-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-194-detail', { id: 1 }) })),
  api.endpoint('thing-194-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-194-detail', { id: params.id + 1 }), all: reverse('thing-194-list') })),
  api.endpoint('thing-195-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-195-detail', { id: 1 }) })),
  api.endpoint('thing-195-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-195-detail', { id: params.id + 1 }), all: reverse('thing-195-list') })),
  api.endpoint('thing-196-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-196-detail', { id: 1 }) })),
  api.endpoint('thing-196-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-196-detail', { id: params.id + 1 }), all: reverse('thing-196-list') })),
  api.endpoint('thing-197-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-197-detail', { id: 1 }) })),
  api.endpoint('thing-197-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-197-detail', { id: params.id + 1 }), all: reverse('thing-197-list') })),
  api.endpoint('thing-198-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-198-detail', { id: 1 }) })),
  api.endpoint('thing-198-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-198-detail', { id: params.id + 1 }), all: reverse('thing-198-list') })),
  api.endpoint('thing-199-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-199-detail', { id: 1 }) })),
  api.endpoint('thing-199-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-199-detail', { id: params.id + 1 }), all: reverse('thing-199-list') })),
]
