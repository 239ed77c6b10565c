import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-450-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-450-detail', { id: 1 }) })),
  api.endpoint('thing-450-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-450-detail', { id: params.id + 1 }), all: reverse('thing-450-list') })),
  api.endpoint('thing-451-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-451-detail', { id: 1 }) })),
  api.endpoint('thing-451-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-451-detail', { id: params.id + 1 }), all: reverse('thing-451-list') })),
  api.endpoint('thing-452-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-452-detail', { id: 1 }) })),
  api.endpoint('thing-452-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-452-detail', { id: params.id + 1 }), all: reverse('thing-452-list') })),
  api.endpoint('thing-453-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-453-detail', { id: 1 }) })),
  api.endpoint('thing-453-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-453-detail', { id: params.id + 1 }), all: reverse('thing-453-list') })),
  api.endpoint('thing-454-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-454-detail', { id: 1 }) })),
  api.endpoint('thing-454-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-454-detail', { id: params.id + 1 }), all: reverse('thing-454-list') })),
  api.endpoint('thing-455-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-455-detail', { id: 1 }) })),
  api.endpoint('thing-455-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-455-detail', { id: params.id + 1 }), all: reverse('thing-455-list') })),
  api.endpoint('thing-456-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-456-detail', { id: 1 }) })),
  api.endpoint('thing-456-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-456-detail', { id: params.id + 1 }), all: reverse('thing-456-list') })),
  api.endpoint('thing-457-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-457-detail', { id: 1 }) })),
  api.endpoint('thing-457-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-457-detail', { id: params.id + 1 }), all: reverse('thing-457-list') })),
  api.endpoint('thing-458-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-458-detail', { id: 1 }) })),
  api.endpoint('thing-458-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-458-detail', { id: params.id + 1 }), all: reverse('thing-458-list') })),
  api.endpoint('thing-459-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-459-detail', { id: 1 }) })),
  api.endpoint('thing-459-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-459-detail', { id: params.id + 1 }), all: reverse('thing-459-list') })),
  api.endpoint('thing-460-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-460-detail', { id: 1 }) })),
  api.endpoint('thing-460-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-460-detail', { id: params.id + 1 }), all: reverse('thing-460-list') })),
  api.endpoint('thing-461-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-461-detail', { id: 1 }) })),
  api.endpoint('thing-461-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-461-detail', { id: params.id + 1 }), all: reverse('thing-461-list') })),
  api.endpoint('thing-462-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-462-detail', { id: 1 }) })),
  api.endpoint('thing-462-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-462-detail', { id: params.id + 1 }), all: reverse('thing-462-list') })),
  api.endpoint('thing-463-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-463-detail', { id: 1 }) })),
  api.endpoint('thing-463-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-463-detail', { id: params.id + 1 }), all: reverse('thing-463-list') })),
  api.endpoint('thing-464-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-464-detail', { id: 1 }) })),
  api.endpoint('thing-464-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-464-detail', { id: params.id + 1 }), all: reverse('thing-464-list') })),
  api.endpoint('thing-465-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-465-detail', { id: 1 }) })),
  api.endpoint('thing-465-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-465-detail', { id: params.id + 1 }), all: reverse('thing-465-list') })),
  api.endpoint('thing-466-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-466-detail', { id: 1 }) })),
  api.endpoint('thing-466-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-466-detail', { id: params.id + 1 }), all: reverse('thing-466-list') })),
  api.endpoint('thing-467-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-467-detail', { id: 1 }) })),
  api.endpoint('thing-467-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-467-detail', { id: params.id + 1 }), all: reverse('thing-467-list') })),
  api.endpoint('thing-468-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-468-detail', { id: 1 }) })),
  api.endpoint('thing-468-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-468-detail', { id: params.id + 1 }), all: reverse('thing-468-list') })),
  api.endpoint('thing-469-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-469-detail', { id: 1 }) })),
  api.endpoint('thing-469-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-469-detail', { id: params.id + 1 }), all: reverse('thing-469-list') })),
  api.endpoint('thing-470-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-470-detail', { id: 1 }) })),
  api.endpoint('thing-470-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-470-detail', { id: params.id + 1 }), all: reverse('thing-470-list') })),
  api.endpoint('thing-471-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-471-detail', { id: 1 }) })),
  api.endpoint('thing-471-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-471-detail', { id: params.id + 1 }), all: reverse('thing-471-list') })),
  api.endpoint('thing-472-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-472-detail', { id: 1 }) })),
  api.endpoint('thing-472-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-472-detail', { id: params.id + 1 }), all: reverse('thing-472-list') })),
  api.endpoint('thing-473-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-473-detail', { id: 1 }) })),
  api.endpoint('thing-473-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-473-detail', { id: params.id + 1 }), all: reverse('thing-473-list') })),
  api.endpoint('thing-474-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-474-detail', { id: 1 }) })),
  api.endpoint('thing-474-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-474-detail', { id: params.id + 1 }), all: reverse('thing-474-list') })),
]
