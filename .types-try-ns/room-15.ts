import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-375-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-375-detail', { id: 1 }) })),
  api.endpoint('thing-375-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-375-detail', { id: params.id + 1 }), all: reverse('thing-375-list') })),
  api.endpoint('thing-376-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-376-detail', { id: 1 }) })),
  api.endpoint('thing-376-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-376-detail', { id: params.id + 1 }), all: reverse('thing-376-list') })),
  api.endpoint('thing-377-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-377-detail', { id: 1 }) })),
  api.endpoint('thing-377-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-377-detail', { id: params.id + 1 }), all: reverse('thing-377-list') })),
  api.endpoint('thing-378-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-378-detail', { id: 1 }) })),
  api.endpoint('thing-378-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-378-detail', { id: params.id + 1 }), all: reverse('thing-378-list') })),
  api.endpoint('thing-379-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-379-detail', { id: 1 }) })),
  api.endpoint('thing-379-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-379-detail', { id: params.id + 1 }), all: reverse('thing-379-list') })),
  api.endpoint('thing-380-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-380-detail', { id: 1 }) })),
  api.endpoint('thing-380-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-380-detail', { id: params.id + 1 }), all: reverse('thing-380-list') })),
  api.endpoint('thing-381-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-381-detail', { id: 1 }) })),
  api.endpoint('thing-381-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-381-detail', { id: params.id + 1 }), all: reverse('thing-381-list') })),
  api.endpoint('thing-382-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-382-detail', { id: 1 }) })),
  api.endpoint('thing-382-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-382-detail', { id: params.id + 1 }), all: reverse('thing-382-list') })),
  api.endpoint('thing-383-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-383-detail', { id: 1 }) })),
  api.endpoint('thing-383-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-383-detail', { id: params.id + 1 }), all: reverse('thing-383-list') })),
  api.endpoint('thing-384-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-384-detail', { id: 1 }) })),
  api.endpoint('thing-384-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-384-detail', { id: params.id + 1 }), all: reverse('thing-384-list') })),
  api.endpoint('thing-385-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-385-detail', { id: 1 }) })),
  api.endpoint('thing-385-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-385-detail', { id: params.id + 1 }), all: reverse('thing-385-list') })),
  api.endpoint('thing-386-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-386-detail', { id: 1 }) })),
  api.endpoint('thing-386-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-386-detail', { id: params.id + 1 }), all: reverse('thing-386-list') })),
  api.endpoint('thing-387-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-387-detail', { id: 1 }) })),
  api.endpoint('thing-387-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-387-detail', { id: params.id + 1 }), all: reverse('thing-387-list') })),
  api.endpoint('thing-388-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-388-detail', { id: 1 }) })),
  api.endpoint('thing-388-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-388-detail', { id: params.id + 1 }), all: reverse('thing-388-list') })),
  api.endpoint('thing-389-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-389-detail', { id: 1 }) })),
  api.endpoint('thing-389-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-389-detail', { id: params.id + 1 }), all: reverse('thing-389-list') })),
  api.endpoint('thing-390-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-390-detail', { id: 1 }) })),
  api.endpoint('thing-390-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-390-detail', { id: params.id + 1 }), all: reverse('thing-390-list') })),
  api.endpoint('thing-391-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-391-detail', { id: 1 }) })),
  api.endpoint('thing-391-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-391-detail', { id: params.id + 1 }), all: reverse('thing-391-list') })),
  api.endpoint('thing-392-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-392-detail', { id: 1 }) })),
  api.endpoint('thing-392-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-392-detail', { id: params.id + 1 }), all: reverse('thing-392-list') })),
  api.endpoint('thing-393-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-393-detail', { id: 1 }) })),
  api.endpoint('thing-393-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-393-detail', { id: params.id + 1 }), all: reverse('thing-393-list') })),
  api.endpoint('thing-394-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-394-detail', { id: 1 }) })),
  api.endpoint('thing-394-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-394-detail', { id: params.id + 1 }), all: reverse('thing-394-list') })),
  api.endpoint('thing-395-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-395-detail', { id: 1 }) })),
  api.endpoint('thing-395-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-395-detail', { id: params.id + 1 }), all: reverse('thing-395-list') })),
  api.endpoint('thing-396-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-396-detail', { id: 1 }) })),
  api.endpoint('thing-396-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-396-detail', { id: params.id + 1 }), all: reverse('thing-396-list') })),
  api.endpoint('thing-397-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-397-detail', { id: 1 }) })),
  api.endpoint('thing-397-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-397-detail', { id: params.id + 1 }), all: reverse('thing-397-list') })),
  api.endpoint('thing-398-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-398-detail', { id: 1 }) })),
  api.endpoint('thing-398-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-398-detail', { id: params.id + 1 }), all: reverse('thing-398-list') })),
  api.endpoint('thing-399-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-399-detail', { id: 1 }) })),
  api.endpoint('thing-399-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-399-detail', { id: params.id + 1 }), all: reverse('thing-399-list') })),
]
