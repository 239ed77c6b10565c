import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-425-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-425-detail', { id: 1 }) })),
  api.endpoint('thing-425-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-425-detail', { id: params.id + 1 }), all: reverse('thing-425-list') })),
  api.endpoint('thing-426-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-426-detail', { id: 1 }) })),
  api.endpoint('thing-426-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-426-detail', { id: params.id + 1 }), all: reverse('thing-426-list') })),
  api.endpoint('thing-427-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-427-detail', { id: 1 }) })),
  api.endpoint('thing-427-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-427-detail', { id: params.id + 1 }), all: reverse('thing-427-list') })),
  api.endpoint('thing-428-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-428-detail', { id: 1 }) })),
  api.endpoint('thing-428-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-428-detail', { id: params.id + 1 }), all: reverse('thing-428-list') })),
  api.endpoint('thing-429-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-429-detail', { id: 1 }) })),
  api.endpoint('thing-429-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-429-detail', { id: params.id + 1 }), all: reverse('thing-429-list') })),
  api.endpoint('thing-430-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-430-detail', { id: 1 }) })),
  api.endpoint('thing-430-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-430-detail', { id: params.id + 1 }), all: reverse('thing-430-list') })),
  api.endpoint('thing-431-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-431-detail', { id: 1 }) })),
  api.endpoint('thing-431-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-431-detail', { id: params.id + 1 }), all: reverse('thing-431-list') })),
  api.endpoint('thing-432-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-432-detail', { id: 1 }) })),
  api.endpoint('thing-432-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-432-detail', { id: params.id + 1 }), all: reverse('thing-432-list') })),
  api.endpoint('thing-433-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-433-detail', { id: 1 }) })),
  api.endpoint('thing-433-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-433-detail', { id: params.id + 1 }), all: reverse('thing-433-list') })),
  api.endpoint('thing-434-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-434-detail', { id: 1 }) })),
  api.endpoint('thing-434-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-434-detail', { id: params.id + 1 }), all: reverse('thing-434-list') })),
  api.endpoint('thing-435-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-435-detail', { id: 1 }) })),
  api.endpoint('thing-435-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-435-detail', { id: params.id + 1 }), all: reverse('thing-435-list') })),
  api.endpoint('thing-436-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-436-detail', { id: 1 }) })),
  api.endpoint('thing-436-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-436-detail', { id: params.id + 1 }), all: reverse('thing-436-list') })),
  api.endpoint('thing-437-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-437-detail', { id: 1 }) })),
  api.endpoint('thing-437-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-437-detail', { id: params.id + 1 }), all: reverse('thing-437-list') })),
  api.endpoint('thing-438-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-438-detail', { id: 1 }) })),
  api.endpoint('thing-438-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-438-detail', { id: params.id + 1 }), all: reverse('thing-438-list') })),
  api.endpoint('thing-439-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-439-detail', { id: 1 }) })),
  api.endpoint('thing-439-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-439-detail', { id: params.id + 1 }), all: reverse('thing-439-list') })),
  api.endpoint('thing-440-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-440-detail', { id: 1 }) })),
  api.endpoint('thing-440-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-440-detail', { id: params.id + 1 }), all: reverse('thing-440-list') })),
  api.endpoint('thing-441-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-441-detail', { id: 1 }) })),
  api.endpoint('thing-441-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-441-detail', { id: params.id + 1 }), all: reverse('thing-441-list') })),
  api.endpoint('thing-442-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-442-detail', { id: 1 }) })),
  api.endpoint('thing-442-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-442-detail', { id: params.id + 1 }), all: reverse('thing-442-list') })),
  api.endpoint('thing-443-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-443-detail', { id: 1 }) })),
  api.endpoint('thing-443-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-443-detail', { id: params.id + 1 }), all: reverse('thing-443-list') })),
  api.endpoint('thing-444-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-444-detail', { id: 1 }) })),
  api.endpoint('thing-444-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-444-detail', { id: params.id + 1 }), all: reverse('thing-444-list') })),
  api.endpoint('thing-445-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-445-detail', { id: 1 }) })),
  api.endpoint('thing-445-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-445-detail', { id: params.id + 1 }), all: reverse('thing-445-list') })),
  api.endpoint('thing-446-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-446-detail', { id: 1 }) })),
  api.endpoint('thing-446-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-446-detail', { id: params.id + 1 }), all: reverse('thing-446-list') })),
  api.endpoint('thing-447-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-447-detail', { id: 1 }) })),
  api.endpoint('thing-447-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-447-detail', { id: params.id + 1 }), all: reverse('thing-447-list') })),
  api.endpoint('thing-448-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-448-detail', { id: 1 }) })),
  api.endpoint('thing-448-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-448-detail', { id: params.id + 1 }), all: reverse('thing-448-list') })),
  api.endpoint('thing-449-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-449-detail', { id: 1 }) })),
  api.endpoint('thing-449-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-449-detail', { id: params.id + 1 }), all: reverse('thing-449-list') })),
]
