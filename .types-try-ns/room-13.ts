import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-325-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-325-detail', { id: 1 }) })),
  api.endpoint('thing-325-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-325-detail', { id: params.id + 1 }), all: reverse('thing-325-list') })),
  api.endpoint('thing-326-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-326-detail', { id: 1 }) })),
  api.endpoint('thing-326-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-326-detail', { id: params.id + 1 }), all: reverse('thing-326-list') })),
  api.endpoint('thing-327-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-327-detail', { id: 1 }) })),
  api.endpoint('thing-327-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-327-detail', { id: params.id + 1 }), all: reverse('thing-327-list') })),
  api.endpoint('thing-328-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-328-detail', { id: 1 }) })),
  api.endpoint('thing-328-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-328-detail', { id: params.id + 1 }), all: reverse('thing-328-list') })),
  api.endpoint('thing-329-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-329-detail', { id: 1 }) })),
  api.endpoint('thing-329-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-329-detail', { id: params.id + 1 }), all: reverse('thing-329-list') })),
  api.endpoint('thing-330-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-330-detail', { id: 1 }) })),
  api.endpoint('thing-330-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-330-detail', { id: params.id + 1 }), all: reverse('thing-330-list') })),
  api.endpoint('thing-331-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-331-detail', { id: 1 }) })),
  api.endpoint('thing-331-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-331-detail', { id: params.id + 1 }), all: reverse('thing-331-list') })),
  api.endpoint('thing-332-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-332-detail', { id: 1 }) })),
  api.endpoint('thing-332-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-332-detail', { id: params.id + 1 }), all: reverse('thing-332-list') })),
  api.endpoint('thing-333-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-333-detail', { id: 1 }) })),
  api.endpoint('thing-333-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-333-detail', { id: params.id + 1 }), all: reverse('thing-333-list') })),
  api.endpoint('thing-334-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-334-detail', { id: 1 }) })),
  api.endpoint('thing-334-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-334-detail', { id: params.id + 1 }), all: reverse('thing-334-list') })),
  api.endpoint('thing-335-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-335-detail', { id: 1 }) })),
  api.endpoint('thing-335-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-335-detail', { id: params.id + 1 }), all: reverse('thing-335-list') })),
  api.endpoint('thing-336-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-336-detail', { id: 1 }) })),
  api.endpoint('thing-336-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-336-detail', { id: params.id + 1 }), all: reverse('thing-336-list') })),
  api.endpoint('thing-337-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-337-detail', { id: 1 }) })),
  api.endpoint('thing-337-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-337-detail', { id: params.id + 1 }), all: reverse('thing-337-list') })),
  api.endpoint('thing-338-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-338-detail', { id: 1 }) })),
  api.endpoint('thing-338-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-338-detail', { id: params.id + 1 }), all: reverse('thing-338-list') })),
  api.endpoint('thing-339-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-339-detail', { id: 1 }) })),
  api.endpoint('thing-339-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-339-detail', { id: params.id + 1 }), all: reverse('thing-339-list') })),
  api.endpoint('thing-340-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-340-detail', { id: 1 }) })),
  api.endpoint('thing-340-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-340-detail', { id: params.id + 1 }), all: reverse('thing-340-list') })),
  api.endpoint('thing-341-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-341-detail', { id: 1 }) })),
  api.endpoint('thing-341-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-341-detail', { id: params.id + 1 }), all: reverse('thing-341-list') })),
  api.endpoint('thing-342-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-342-detail', { id: 1 }) })),
  api.endpoint('thing-342-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-342-detail', { id: params.id + 1 }), all: reverse('thing-342-list') })),
  api.endpoint('thing-343-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-343-detail', { id: 1 }) })),
  api.endpoint('thing-343-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-343-detail', { id: params.id + 1 }), all: reverse('thing-343-list') })),
  api.endpoint('thing-344-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-344-detail', { id: 1 }) })),
  api.endpoint('thing-344-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-344-detail', { id: params.id + 1 }), all: reverse('thing-344-list') })),
  api.endpoint('thing-345-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-345-detail', { id: 1 }) })),
  api.endpoint('thing-345-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-345-detail', { id: params.id + 1 }), all: reverse('thing-345-list') })),
  api.endpoint('thing-346-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-346-detail', { id: 1 }) })),
  api.endpoint('thing-346-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-346-detail', { id: params.id + 1 }), all: reverse('thing-346-list') })),
  api.endpoint('thing-347-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-347-detail', { id: 1 }) })),
  api.endpoint('thing-347-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-347-detail', { id: params.id + 1 }), all: reverse('thing-347-list') })),
  api.endpoint('thing-348-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-348-detail', { id: 1 }) })),
  api.endpoint('thing-348-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-348-detail', { id: params.id + 1 }), all: reverse('thing-348-list') })),
  api.endpoint('thing-349-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-349-detail', { id: 1 }) })),
  api.endpoint('thing-349-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-349-detail', { id: params.id + 1 }), all: reverse('thing-349-list') })),
]
