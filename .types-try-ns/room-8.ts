import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-200-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-200-detail', { id: 1 }) })),
  api.endpoint('thing-200-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-200-detail', { id: params.id + 1 }), all: reverse('thing-200-list') })),
  api.endpoint('thing-201-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-201-detail', { id: 1 }) })),
  api.endpoint('thing-201-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-201-detail', { id: params.id + 1 }), all: reverse('thing-201-list') })),
  api.endpoint('thing-202-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-202-detail', { id: 1 }) })),
  api.endpoint('thing-202-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-202-detail', { id: params.id + 1 }), all: reverse('thing-202-list') })),
  api.endpoint('thing-203-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-203-detail', { id: 1 }) })),
  api.endpoint('thing-203-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-203-detail', { id: params.id + 1 }), all: reverse('thing-203-list') })),
  api.endpoint('thing-204-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-204-detail', { id: 1 }) })),
  api.endpoint('thing-204-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-204-detail', { id: params.id + 1 }), all: reverse('thing-204-list') })),
  api.endpoint('thing-205-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-205-detail', { id: 1 }) })),
  api.endpoint('thing-205-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-205-detail', { id: params.id + 1 }), all: reverse('thing-205-list') })),
  api.endpoint('thing-206-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-206-detail', { id: 1 }) })),
  api.endpoint('thing-206-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-206-detail', { id: params.id + 1 }), all: reverse('thing-206-list') })),
  api.endpoint('thing-207-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-207-detail', { id: 1 }) })),
  api.endpoint('thing-207-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-207-detail', { id: params.id + 1 }), all: reverse('thing-207-list') })),
  api.endpoint('thing-208-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-208-detail', { id: 1 }) })),
  api.endpoint('thing-208-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-208-detail', { id: params.id + 1 }), all: reverse('thing-208-list') })),
  api.endpoint('thing-209-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-209-detail', { id: 1 }) })),
  api.endpoint('thing-209-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-209-detail', { id: params.id + 1 }), all: reverse('thing-209-list') })),
  api.endpoint('thing-210-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-210-detail', { id: 1 }) })),
  api.endpoint('thing-210-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-210-detail', { id: params.id + 1 }), all: reverse('thing-210-list') })),
  api.endpoint('thing-211-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-211-detail', { id: 1 }) })),
  api.endpoint('thing-211-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-211-detail', { id: params.id + 1 }), all: reverse('thing-211-list') })),
  api.endpoint('thing-212-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-212-detail', { id: 1 }) })),
  api.endpoint('thing-212-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-212-detail', { id: params.id + 1 }), all: reverse('thing-212-list') })),
  api.endpoint('thing-213-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-213-detail', { id: 1 }) })),
  api.endpoint('thing-213-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-213-detail', { id: params.id + 1 }), all: reverse('thing-213-list') })),
  api.endpoint('thing-214-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-214-detail', { id: 1 }) })),
  api.endpoint('thing-214-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-214-detail', { id: params.id + 1 }), all: reverse('thing-214-list') })),
  api.endpoint('thing-215-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-215-detail', { id: 1 }) })),
  api.endpoint('thing-215-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-215-detail', { id: params.id + 1 }), all: reverse('thing-215-list') })),
  api.endpoint('thing-216-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-216-detail', { id: 1 }) })),
  api.endpoint('thing-216-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-216-detail', { id: params.id + 1 }), all: reverse('thing-216-list') })),
  api.endpoint('thing-217-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-217-detail', { id: 1 }) })),
  api.endpoint('thing-217-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-217-detail', { id: params.id + 1 }), all: reverse('thing-217-list') })),
  api.endpoint('thing-218-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-218-detail', { id: 1 }) })),
  api.endpoint('thing-218-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-218-detail', { id: params.id + 1 }), all: reverse('thing-218-list') })),
  api.endpoint('thing-219-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-219-detail', { id: 1 }) })),
  api.endpoint('thing-219-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-219-detail', { id: params.id + 1 }), all: reverse('thing-219-list') })),
  api.endpoint('thing-220-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-220-detail', { id: 1 }) })),
  api.endpoint('thing-220-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-220-detail', { id: params.id + 1 }), all: reverse('thing-220-list') })),
  api.endpoint('thing-221-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-221-detail', { id: 1 }) })),
  api.endpoint('thing-221-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-221-detail', { id: params.id + 1 }), all: reverse('thing-221-list') })),
  api.endpoint('thing-222-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-222-detail', { id: 1 }) })),
  api.endpoint('thing-222-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-222-detail', { id: params.id + 1 }), all: reverse('thing-222-list') })),
  api.endpoint('thing-223-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-223-detail', { id: 1 }) })),
  api.endpoint('thing-223-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-223-detail', { id: params.id + 1 }), all: reverse('thing-223-list') })),
  api.endpoint('thing-224-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-224-detail', { id: 1 }) })),
  api.endpoint('thing-224-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-224-detail', { id: params.id + 1 }), all: reverse('thing-224-list') })),
]
