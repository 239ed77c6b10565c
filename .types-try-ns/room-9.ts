import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-225-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-225-detail', { id: 1 }) })),
  api.endpoint('thing-225-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-225-detail', { id: params.id + 1 }), all: reverse('thing-225-list') })),
  api.endpoint('thing-226-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-226-detail', { id: 1 }) })),
  api.endpoint('thing-226-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-226-detail', { id: params.id + 1 }), all: reverse('thing-226-list') })),
  api.endpoint('thing-227-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-227-detail', { id: 1 }) })),
  api.endpoint('thing-227-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-227-detail', { id: params.id + 1 }), all: reverse('thing-227-list') })),
  api.endpoint('thing-228-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-228-detail', { id: 1 }) })),
  api.endpoint('thing-228-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-228-detail', { id: params.id + 1 }), all: reverse('thing-228-list') })),
  api.endpoint('thing-229-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-229-detail', { id: 1 }) })),
  api.endpoint('thing-229-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-229-detail', { id: params.id + 1 }), all: reverse('thing-229-list') })),
  api.endpoint('thing-230-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-230-detail', { id: 1 }) })),
  api.endpoint('thing-230-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-230-detail', { id: params.id + 1 }), all: reverse('thing-230-list') })),
  api.endpoint('thing-231-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-231-detail', { id: 1 }) })),
  api.endpoint('thing-231-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-231-detail', { id: params.id + 1 }), all: reverse('thing-231-list') })),
  api.endpoint('thing-232-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-232-detail', { id: 1 }) })),
  api.endpoint('thing-232-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-232-detail', { id: params.id + 1 }), all: reverse('thing-232-list') })),
  api.endpoint('thing-233-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-233-detail', { id: 1 }) })),
  api.endpoint('thing-233-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-233-detail', { id: params.id + 1 }), all: reverse('thing-233-list') })),
  api.endpoint('thing-234-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-234-detail', { id: 1 }) })),
  api.endpoint('thing-234-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-234-detail', { id: params.id + 1 }), all: reverse('thing-234-list') })),
  api.endpoint('thing-235-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-235-detail', { id: 1 }) })),
  api.endpoint('thing-235-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-235-detail', { id: params.id + 1 }), all: reverse('thing-235-list') })),
  api.endpoint('thing-236-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-236-detail', { id: 1 }) })),
  api.endpoint('thing-236-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-236-detail', { id: params.id + 1 }), all: reverse('thing-236-list') })),
  api.endpoint('thing-237-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-237-detail', { id: 1 }) })),
  api.endpoint('thing-237-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-237-detail', { id: params.id + 1 }), all: reverse('thing-237-list') })),
  api.endpoint('thing-238-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-238-detail', { id: 1 }) })),
  api.endpoint('thing-238-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-238-detail', { id: params.id + 1 }), all: reverse('thing-238-list') })),
  api.endpoint('thing-239-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-239-detail', { id: 1 }) })),
  api.endpoint('thing-239-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-239-detail', { id: params.id + 1 }), all: reverse('thing-239-list') })),
  api.endpoint('thing-240-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-240-detail', { id: 1 }) })),
  api.endpoint('thing-240-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-240-detail', { id: params.id + 1 }), all: reverse('thing-240-list') })),
  api.endpoint('thing-241-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-241-detail', { id: 1 }) })),
  api.endpoint('thing-241-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-241-detail', { id: params.id + 1 }), all: reverse('thing-241-list') })),
  api.endpoint('thing-242-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-242-detail', { id: 1 }) })),
  api.endpoint('thing-242-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-242-detail', { id: params.id + 1 }), all: reverse('thing-242-list') })),
  api.endpoint('thing-243-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-243-detail', { id: 1 }) })),
  api.endpoint('thing-243-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-243-detail', { id: params.id + 1 }), all: reverse('thing-243-list') })),
  api.endpoint('thing-244-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-244-detail', { id: 1 }) })),
  api.endpoint('thing-244-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-244-detail', { id: params.id + 1 }), all: reverse('thing-244-list') })),
  api.endpoint('thing-245-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-245-detail', { id: 1 }) })),
  api.endpoint('thing-245-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-245-detail', { id: params.id + 1 }), all: reverse('thing-245-list') })),
  api.endpoint('thing-246-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-246-detail', { id: 1 }) })),
  api.endpoint('thing-246-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-246-detail', { id: params.id + 1 }), all: reverse('thing-246-list') })),
  api.endpoint('thing-247-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-247-detail', { id: 1 }) })),
  api.endpoint('thing-247-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-247-detail', { id: params.id + 1 }), all: reverse('thing-247-list') })),
  api.endpoint('thing-248-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-248-detail', { id: 1 }) })),
  api.endpoint('thing-248-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-248-detail', { id: params.id + 1 }), all: reverse('thing-248-list') })),
  api.endpoint('thing-249-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-249-detail', { id: 1 }) })),
  api.endpoint('thing-249-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-249-detail', { id: params.id + 1 }), all: reverse('thing-249-list') })),
]
