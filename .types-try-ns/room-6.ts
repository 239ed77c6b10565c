import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-150-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-150-detail', { id: 1 }) })),
  api.endpoint('thing-150-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-150-detail', { id: params.id + 1 }), all: reverse('thing-150-list') })),
  api.endpoint('thing-151-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-151-detail', { id: 1 }) })),
  api.endpoint('thing-151-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-151-detail', { id: params.id + 1 }), all: reverse('thing-151-list') })),
  api.endpoint('thing-152-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-152-detail', { id: 1 }) })),
  api.endpoint('thing-152-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-152-detail', { id: params.id + 1 }), all: reverse('thing-152-list') })),
  api.endpoint('thing-153-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-153-detail', { id: 1 }) })),
  api.endpoint('thing-153-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-153-detail', { id: params.id + 1 }), all: reverse('thing-153-list') })),
  api.endpoint('thing-154-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-154-detail', { id: 1 }) })),
  api.endpoint('thing-154-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-154-detail', { id: params.id + 1 }), all: reverse('thing-154-list') })),
  api.endpoint('thing-155-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-155-detail', { id: 1 }) })),
  api.endpoint('thing-155-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-155-detail', { id: params.id + 1 }), all: reverse('thing-155-list') })),
  api.endpoint('thing-156-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-156-detail', { id: 1 }) })),
  api.endpoint('thing-156-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-156-detail', { id: params.id + 1 }), all: reverse('thing-156-list') })),
  api.endpoint('thing-157-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-157-detail', { id: 1 }) })),
  api.endpoint('thing-157-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-157-detail', { id: params.id + 1 }), all: reverse('thing-157-list') })),
  api.endpoint('thing-158-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-158-detail', { id: 1 }) })),
  api.endpoint('thing-158-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-158-detail', { id: params.id + 1 }), all: reverse('thing-158-list') })),
  api.endpoint('thing-159-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-159-detail', { id: 1 }) })),
  api.endpoint('thing-159-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-159-detail', { id: params.id + 1 }), all: reverse('thing-159-list') })),
  api.endpoint('thing-160-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-160-detail', { id: 1 }) })),
  api.endpoint('thing-160-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-160-detail', { id: params.id + 1 }), all: reverse('thing-160-list') })),
  api.endpoint('thing-161-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-161-detail', { id: 1 }) })),
  api.endpoint('thing-161-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-161-detail', { id: params.id + 1 }), all: reverse('thing-161-list') })),
  api.endpoint('thing-162-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-162-detail', { id: 1 }) })),
  api.endpoint('thing-162-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-162-detail', { id: params.id + 1 }), all: reverse('thing-162-list') })),
  api.endpoint('thing-163-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-163-detail', { id: 1 }) })),
  api.endpoint('thing-163-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-163-detail', { id: params.id + 1 }), all: reverse('thing-163-list') })),
  api.endpoint('thing-164-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-164-detail', { id: 1 }) })),
  api.endpoint('thing-164-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-164-detail', { id: params.id + 1 }), all: reverse('thing-164-list') })),
  api.endpoint('thing-165-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-165-detail', { id: 1 }) })),
  api.endpoint('thing-165-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-165-detail', { id: params.id + 1 }), all: reverse('thing-165-list') })),
  api.endpoint('thing-166-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-166-detail', { id: 1 }) })),
  api.endpoint('thing-166-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-166-detail', { id: params.id + 1 }), all: reverse('thing-166-list') })),
  api.endpoint('thing-167-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-167-detail', { id: 1 }) })),
  api.endpoint('thing-167-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-167-detail', { id: params.id + 1 }), all: reverse('thing-167-list') })),
  api.endpoint('thing-168-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-168-detail', { id: 1 }) })),
  api.endpoint('thing-168-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-168-detail', { id: params.id + 1 }), all: reverse('thing-168-list') })),
  api.endpoint('thing-169-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-169-detail', { id: 1 }) })),
  api.endpoint('thing-169-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-169-detail', { id: params.id + 1 }), all: reverse('thing-169-list') })),
  api.endpoint('thing-170-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-170-detail', { id: 1 }) })),
  api.endpoint('thing-170-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-170-detail', { id: params.id + 1 }), all: reverse('thing-170-list') })),
  api.endpoint('thing-171-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-171-detail', { id: 1 }) })),
  api.endpoint('thing-171-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-171-detail', { id: params.id + 1 }), all: reverse('thing-171-list') })),
  api.endpoint('thing-172-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-172-detail', { id: 1 }) })),
  api.endpoint('thing-172-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-172-detail', { id: params.id + 1 }), all: reverse('thing-172-list') })),
  api.endpoint('thing-173-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-173-detail', { id: 1 }) })),
  api.endpoint('thing-173-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-173-detail', { id: params.id + 1 }), all: reverse('thing-173-list') })),
  api.endpoint('thing-174-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-174-detail', { id: 1 }) })),
  api.endpoint('thing-174-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-174-detail', { id: params.id + 1 }), all: reverse('thing-174-list') })),
]
