import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-125-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-125-detail', { id: 1 }) })),
  api.endpoint('thing-125-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-125-detail', { id: params.id + 1 }), all: reverse('thing-125-list') })),
  api.endpoint('thing-126-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-126-detail', { id: 1 }) })),
  api.endpoint('thing-126-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-126-detail', { id: params.id + 1 }), all: reverse('thing-126-list') })),
  api.endpoint('thing-127-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-127-detail', { id: 1 }) })),
  api.endpoint('thing-127-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-127-detail', { id: params.id + 1 }), all: reverse('thing-127-list') })),
  api.endpoint('thing-128-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-128-detail', { id: 1 }) })),
  api.endpoint('thing-128-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-128-detail', { id: params.id + 1 }), all: reverse('thing-128-list') })),
  api.endpoint('thing-129-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-129-detail', { id: 1 }) })),
  api.endpoint('thing-129-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-129-detail', { id: params.id + 1 }), all: reverse('thing-129-list') })),
  api.endpoint('thing-130-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-130-detail', { id: 1 }) })),
  api.endpoint('thing-130-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-130-detail', { id: params.id + 1 }), all: reverse('thing-130-list') })),
  api.endpoint('thing-131-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-131-detail', { id: 1 }) })),
  api.endpoint('thing-131-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-131-detail', { id: params.id + 1 }), all: reverse('thing-131-list') })),
  api.endpoint('thing-132-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-132-detail', { id: 1 }) })),
  api.endpoint('thing-132-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-132-detail', { id: params.id + 1 }), all: reverse('thing-132-list') })),
  api.endpoint('thing-133-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-133-detail', { id: 1 }) })),
  api.endpoint('thing-133-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-133-detail', { id: params.id + 1 }), all: reverse('thing-133-list') })),
  api.endpoint('thing-134-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-134-detail', { id: 1 }) })),
  api.endpoint('thing-134-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-134-detail', { id: params.id + 1 }), all: reverse('thing-134-list') })),
  api.endpoint('thing-135-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-135-detail', { id: 1 }) })),
  api.endpoint('thing-135-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-135-detail', { id: params.id + 1 }), all: reverse('thing-135-list') })),
  api.endpoint('thing-136-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-136-detail', { id: 1 }) })),
  api.endpoint('thing-136-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-136-detail', { id: params.id + 1 }), all: reverse('thing-136-list') })),
  api.endpoint('thing-137-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-137-detail', { id: 1 }) })),
  api.endpoint('thing-137-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-137-detail', { id: params.id + 1 }), all: reverse('thing-137-list') })),
  api.endpoint('thing-138-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-138-detail', { id: 1 }) })),
  api.endpoint('thing-138-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-138-detail', { id: params.id + 1 }), all: reverse('thing-138-list') })),
  api.endpoint('thing-139-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-139-detail', { id: 1 }) })),
  api.endpoint('thing-139-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-139-detail', { id: params.id + 1 }), all: reverse('thing-139-list') })),
  api.endpoint('thing-140-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-140-detail', { id: 1 }) })),
  api.endpoint('thing-140-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-140-detail', { id: params.id + 1 }), all: reverse('thing-140-list') })),
  api.endpoint('thing-141-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-141-detail', { id: 1 }) })),
  api.endpoint('thing-141-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-141-detail', { id: params.id + 1 }), all: reverse('thing-141-list') })),
  api.endpoint('thing-142-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-142-detail', { id: 1 }) })),
  api.endpoint('thing-142-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-142-detail', { id: params.id + 1 }), all: reverse('thing-142-list') })),
  api.endpoint('thing-143-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-143-detail', { id: 1 }) })),
  api.endpoint('thing-143-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-143-detail', { id: params.id + 1 }), all: reverse('thing-143-list') })),
  api.endpoint('thing-144-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-144-detail', { id: 1 }) })),
  api.endpoint('thing-144-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-144-detail', { id: params.id + 1 }), all: reverse('thing-144-list') })),
  api.endpoint('thing-145-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-145-detail', { id: 1 }) })),
  api.endpoint('thing-145-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-145-detail', { id: params.id + 1 }), all: reverse('thing-145-list') })),
  api.endpoint('thing-146-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-146-detail', { id: 1 }) })),
  api.endpoint('thing-146-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-146-detail', { id: params.id + 1 }), all: reverse('thing-146-list') })),
  api.endpoint('thing-147-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-147-detail', { id: 1 }) })),
  api.endpoint('thing-147-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-147-detail', { id: params.id + 1 }), all: reverse('thing-147-list') })),
  api.endpoint('thing-148-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-148-detail', { id: 1 }) })),
  api.endpoint('thing-148-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-148-detail', { id: params.id + 1 }), all: reverse('thing-148-list') })),
  api.endpoint('thing-149-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-149-detail', { id: 1 }) })),
  api.endpoint('thing-149-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-149-detail', { id: params.id + 1 }), all: reverse('thing-149-list') })),
]
