import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-275-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-275-detail', { id: 1 }) })),
  api.endpoint('thing-275-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-275-detail', { id: params.id + 1 }), all: reverse('thing-275-list') })),
  api.endpoint('thing-276-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-276-detail', { id: 1 }) })),
  api.endpoint('thing-276-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-276-detail', { id: params.id + 1 }), all: reverse('thing-276-list') })),
  api.endpoint('thing-277-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-277-detail', { id: 1 }) })),
  api.endpoint('thing-277-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-277-detail', { id: params.id + 1 }), all: reverse('thing-277-list') })),
  api.endpoint('thing-278-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-278-detail', { id: 1 }) })),
  api.endpoint('thing-278-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-278-detail', { id: params.id + 1 }), all: reverse('thing-278-list') })),
  api.endpoint('thing-279-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-279-detail', { id: 1 }) })),
  api.endpoint('thing-279-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-279-detail', { id: params.id + 1 }), all: reverse('thing-279-list') })),
  api.endpoint('thing-280-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-280-detail', { id: 1 }) })),
  api.endpoint('thing-280-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-280-detail', { id: params.id + 1 }), all: reverse('thing-280-list') })),
  api.endpoint('thing-281-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-281-detail', { id: 1 }) })),
  api.endpoint('thing-281-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-281-detail', { id: params.id + 1 }), all: reverse('thing-281-list') })),
  api.endpoint('thing-282-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-282-detail', { id: 1 }) })),
  api.endpoint('thing-282-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-282-detail', { id: params.id + 1 }), all: reverse('thing-282-list') })),
  api.endpoint('thing-283-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-283-detail', { id: 1 }) })),
  api.endpoint('thing-283-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-283-detail', { id: params.id + 1 }), all: reverse('thing-283-list') })),
  api.endpoint('thing-284-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-284-detail', { id: 1 }) })),
  api.endpoint('thing-284-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-284-detail', { id: params.id + 1 }), all: reverse('thing-284-list') })),
  api.endpoint('thing-285-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-285-detail', { id: 1 }) })),
  api.endpoint('thing-285-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-285-detail', { id: params.id + 1 }), all: reverse('thing-285-list') })),
  api.endpoint('thing-286-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-286-detail', { id: 1 }) })),
  api.endpoint('thing-286-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-286-detail', { id: params.id + 1 }), all: reverse('thing-286-list') })),
  api.endpoint('thing-287-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-287-detail', { id: 1 }) })),
  api.endpoint('thing-287-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-287-detail', { id: params.id + 1 }), all: reverse('thing-287-list') })),
  api.endpoint('thing-288-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-288-detail', { id: 1 }) })),
  api.endpoint('thing-288-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-288-detail', { id: params.id + 1 }), all: reverse('thing-288-list') })),
  api.endpoint('thing-289-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-289-detail', { id: 1 }) })),
  api.endpoint('thing-289-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-289-detail', { id: params.id + 1 }), all: reverse('thing-289-list') })),
  api.endpoint('thing-290-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-290-detail', { id: 1 }) })),
  api.endpoint('thing-290-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-290-detail', { id: params.id + 1 }), all: reverse('thing-290-list') })),
  api.endpoint('thing-291-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-291-detail', { id: 1 }) })),
  api.endpoint('thing-291-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-291-detail', { id: params.id + 1 }), all: reverse('thing-291-list') })),
  api.endpoint('thing-292-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-292-detail', { id: 1 }) })),
  api.endpoint('thing-292-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-292-detail', { id: params.id + 1 }), all: reverse('thing-292-list') })),
  api.endpoint('thing-293-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-293-detail', { id: 1 }) })),
  api.endpoint('thing-293-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-293-detail', { id: params.id + 1 }), all: reverse('thing-293-list') })),
  api.endpoint('thing-294-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-294-detail', { id: 1 }) })),
  api.endpoint('thing-294-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-294-detail', { id: params.id + 1 }), all: reverse('thing-294-list') })),
  api.endpoint('thing-295-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-295-detail', { id: 1 }) })),
  api.endpoint('thing-295-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-295-detail', { id: params.id + 1 }), all: reverse('thing-295-list') })),
  api.endpoint('thing-296-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-296-detail', { id: 1 }) })),
  api.endpoint('thing-296-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-296-detail', { id: params.id + 1 }), all: reverse('thing-296-list') })),
  api.endpoint('thing-297-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-297-detail', { id: 1 }) })),
  api.endpoint('thing-297-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-297-detail', { id: params.id + 1 }), all: reverse('thing-297-list') })),
  api.endpoint('thing-298-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-298-detail', { id: 1 }) })),
  api.endpoint('thing-298-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-298-detail', { id: params.id + 1 }), all: reverse('thing-298-list') })),
  api.endpoint('thing-299-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-299-detail', { id: 1 }) })),
  api.endpoint('thing-299-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-299-detail', { id: params.id + 1 }), all: reverse('thing-299-list') })),
]
