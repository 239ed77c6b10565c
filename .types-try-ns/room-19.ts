import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-475-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-475-detail', { id: 1 }) })),
  api.endpoint('thing-475-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-475-detail', { id: params.id + 1 }), all: reverse('thing-475-list') })),
  api.endpoint('thing-476-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-476-detail', { id: 1 }) })),
  api.endpoint('thing-476-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-476-detail', { id: params.id + 1 }), all: reverse('thing-476-list') })),
  api.endpoint('thing-477-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-477-detail', { id: 1 }) })),
  api.endpoint('thing-477-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-477-detail', { id: params.id + 1 }), all: reverse('thing-477-list') })),
  api.endpoint('thing-478-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-478-detail', { id: 1 }) })),
  api.endpoint('thing-478-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-478-detail', { id: params.id + 1 }), all: reverse('thing-478-list') })),
  api.endpoint('thing-479-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-479-detail', { id: 1 }) })),
  api.endpoint('thing-479-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-479-detail', { id: params.id + 1 }), all: reverse('thing-479-list') })),
  api.endpoint('thing-480-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-480-detail', { id: 1 }) })),
  api.endpoint('thing-480-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-480-detail', { id: params.id + 1 }), all: reverse('thing-480-list') })),
  api.endpoint('thing-481-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-481-detail', { id: 1 }) })),
  api.endpoint('thing-481-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-481-detail', { id: params.id + 1 }), all: reverse('thing-481-list') })),
  api.endpoint('thing-482-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-482-detail', { id: 1 }) })),
  api.endpoint('thing-482-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-482-detail', { id: params.id + 1 }), all: reverse('thing-482-list') })),
  api.endpoint('thing-483-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-483-detail', { id: 1 }) })),
  api.endpoint('thing-483-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-483-detail', { id: params.id + 1 }), all: reverse('thing-483-list') })),
  api.endpoint('thing-484-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-484-detail', { id: 1 }) })),
  api.endpoint('thing-484-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-484-detail', { id: params.id + 1 }), all: reverse('thing-484-list') })),
  api.endpoint('thing-485-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-485-detail', { id: 1 }) })),
  api.endpoint('thing-485-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-485-detail', { id: params.id + 1 }), all: reverse('thing-485-list') })),
  api.endpoint('thing-486-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-486-detail', { id: 1 }) })),
  api.endpoint('thing-486-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-486-detail', { id: params.id + 1 }), all: reverse('thing-486-list') })),
  api.endpoint('thing-487-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-487-detail', { id: 1 }) })),
  api.endpoint('thing-487-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-487-detail', { id: params.id + 1 }), all: reverse('thing-487-list') })),
  api.endpoint('thing-488-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-488-detail', { id: 1 }) })),
  api.endpoint('thing-488-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-488-detail', { id: params.id + 1 }), all: reverse('thing-488-list') })),
  api.endpoint('thing-489-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-489-detail', { id: 1 }) })),
  api.endpoint('thing-489-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-489-detail', { id: params.id + 1 }), all: reverse('thing-489-list') })),
  api.endpoint('thing-490-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-490-detail', { id: 1 }) })),
  api.endpoint('thing-490-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-490-detail', { id: params.id + 1 }), all: reverse('thing-490-list') })),
  api.endpoint('thing-491-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-491-detail', { id: 1 }) })),
  api.endpoint('thing-491-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-491-detail', { id: params.id + 1 }), all: reverse('thing-491-list') })),
  api.endpoint('thing-492-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-492-detail', { id: 1 }) })),
  api.endpoint('thing-492-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-492-detail', { id: params.id + 1 }), all: reverse('thing-492-list') })),
  api.endpoint('thing-493-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-493-detail', { id: 1 }) })),
  api.endpoint('thing-493-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-493-detail', { id: params.id + 1 }), all: reverse('thing-493-list') })),
  api.endpoint('thing-494-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-494-detail', { id: 1 }) })),
  api.endpoint('thing-494-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-494-detail', { id: params.id + 1 }), all: reverse('thing-494-list') })),
  api.endpoint('thing-495-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-495-detail', { id: 1 }) })),
  api.endpoint('thing-495-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-495-detail', { id: params.id + 1 }), all: reverse('thing-495-list') })),
  api.endpoint('thing-496-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-496-detail', { id: 1 }) })),
  api.endpoint('thing-496-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-496-detail', { id: params.id + 1 }), all: reverse('thing-496-list') })),
  api.endpoint('thing-497-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-497-detail', { id: 1 }) })),
  api.endpoint('thing-497-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-497-detail', { id: params.id + 1 }), all: reverse('thing-497-list') })),
  api.endpoint('thing-498-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-498-detail', { id: 1 }) })),
  api.endpoint('thing-498-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-498-detail', { id: params.id + 1 }), all: reverse('thing-498-list') })),
  api.endpoint('thing-499-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-499-detail', { id: 1 }) })),
  api.endpoint('thing-499-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-499-detail', { id: params.id + 1 }), all: reverse('thing-499-list') })),
]
