import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-300-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-300-detail', { id: 1 }) })),
  api.endpoint('thing-300-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-300-detail', { id: params.id + 1 }), all: reverse('thing-300-list') })),
  api.endpoint('thing-301-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-301-detail', { id: 1 }) })),
  api.endpoint('thing-301-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-301-detail', { id: params.id + 1 }), all: reverse('thing-301-list') })),
  api.endpoint('thing-302-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-302-detail', { id: 1 }) })),
  api.endpoint('thing-302-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-302-detail', { id: params.id + 1 }), all: reverse('thing-302-list') })),
  api.endpoint('thing-303-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-303-detail', { id: 1 }) })),
  api.endpoint('thing-303-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-303-detail', { id: params.id + 1 }), all: reverse('thing-303-list') })),
  api.endpoint('thing-304-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-304-detail', { id: 1 }) })),
  api.endpoint('thing-304-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-304-detail', { id: params.id + 1 }), all: reverse('thing-304-list') })),
  api.endpoint('thing-305-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-305-detail', { id: 1 }) })),
  api.endpoint('thing-305-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-305-detail', { id: params.id + 1 }), all: reverse('thing-305-list') })),
  api.endpoint('thing-306-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-306-detail', { id: 1 }) })),
  api.endpoint('thing-306-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-306-detail', { id: params.id + 1 }), all: reverse('thing-306-list') })),
  api.endpoint('thing-307-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-307-detail', { id: 1 }) })),
  api.endpoint('thing-307-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-307-detail', { id: params.id + 1 }), all: reverse('thing-307-list') })),
  api.endpoint('thing-308-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-308-detail', { id: 1 }) })),
  api.endpoint('thing-308-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-308-detail', { id: params.id + 1 }), all: reverse('thing-308-list') })),
  api.endpoint('thing-309-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-309-detail', { id: 1 }) })),
  api.endpoint('thing-309-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-309-detail', { id: params.id + 1 }), all: reverse('thing-309-list') })),
  api.endpoint('thing-310-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-310-detail', { id: 1 }) })),
  api.endpoint('thing-310-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-310-detail', { id: params.id + 1 }), all: reverse('thing-310-list') })),
  api.endpoint('thing-311-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-311-detail', { id: 1 }) })),
  api.endpoint('thing-311-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-311-detail', { id: params.id + 1 }), all: reverse('thing-311-list') })),
  api.endpoint('thing-312-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-312-detail', { id: 1 }) })),
  api.endpoint('thing-312-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-312-detail', { id: params.id + 1 }), all: reverse('thing-312-list') })),
  api.endpoint('thing-313-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-313-detail', { id: 1 }) })),
  api.endpoint('thing-313-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-313-detail', { id: params.id + 1 }), all: reverse('thing-313-list') })),
  api.endpoint('thing-314-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-314-detail', { id: 1 }) })),
  api.endpoint('thing-314-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-314-detail', { id: params.id + 1 }), all: reverse('thing-314-list') })),
  api.endpoint('thing-315-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-315-detail', { id: 1 }) })),
  api.endpoint('thing-315-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-315-detail', { id: params.id + 1 }), all: reverse('thing-315-list') })),
  api.endpoint('thing-316-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-316-detail', { id: 1 }) })),
  api.endpoint('thing-316-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-316-detail', { id: params.id + 1 }), all: reverse('thing-316-list') })),
  api.endpoint('thing-317-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-317-detail', { id: 1 }) })),
  api.endpoint('thing-317-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-317-detail', { id: params.id + 1 }), all: reverse('thing-317-list') })),
  api.endpoint('thing-318-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-318-detail', { id: 1 }) })),
  api.endpoint('thing-318-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-318-detail', { id: params.id + 1 }), all: reverse('thing-318-list') })),
  api.endpoint('thing-319-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-319-detail', { id: 1 }) })),
  api.endpoint('thing-319-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-319-detail', { id: params.id + 1 }), all: reverse('thing-319-list') })),
  api.endpoint('thing-320-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-320-detail', { id: 1 }) })),
  api.endpoint('thing-320-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-320-detail', { id: params.id + 1 }), all: reverse('thing-320-list') })),
  api.endpoint('thing-321-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-321-detail', { id: 1 }) })),
  api.endpoint('thing-321-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-321-detail', { id: params.id + 1 }), all: reverse('thing-321-list') })),
  api.endpoint('thing-322-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-322-detail', { id: 1 }) })),
  api.endpoint('thing-322-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-322-detail', { id: params.id + 1 }), all: reverse('thing-322-list') })),
  api.endpoint('thing-323-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-323-detail', { id: 1 }) })),
  api.endpoint('thing-323-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-323-detail', { id: params.id + 1 }), all: reverse('thing-323-list') })),
  api.endpoint('thing-324-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-324-detail', { id: 1 }) })),
  api.endpoint('thing-324-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-324-detail', { id: params.id + 1 }), all: reverse('thing-324-list') })),
]
