import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-100-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-100-detail', { id: 1 }) })),
  api.endpoint('thing-100-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-100-detail', { id: params.id + 1 }), all: reverse('thing-100-list') })),
  api.endpoint('thing-101-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-101-detail', { id: 1 }) })),
  api.endpoint('thing-101-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-101-detail', { id: params.id + 1 }), all: reverse('thing-101-list') })),
  api.endpoint('thing-102-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-102-detail', { id: 1 }) })),
  api.endpoint('thing-102-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-102-detail', { id: params.id + 1 }), all: reverse('thing-102-list') })),
  api.endpoint('thing-103-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-103-detail', { id: 1 }) })),
  api.endpoint('thing-103-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-103-detail', { id: params.id + 1 }), all: reverse('thing-103-list') })),
  api.endpoint('thing-104-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-104-detail', { id: 1 }) })),
  api.endpoint('thing-104-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-104-detail', { id: params.id + 1 }), all: reverse('thing-104-list') })),
  api.endpoint('thing-105-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-105-detail', { id: 1 }) })),
  api.endpoint('thing-105-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-105-detail', { id: params.id + 1 }), all: reverse('thing-105-list') })),
  api.endpoint('thing-106-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-106-detail', { id: 1 }) })),
  api.endpoint('thing-106-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-106-detail', { id: params.id + 1 }), all: reverse('thing-106-list') })),
  api.endpoint('thing-107-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-107-detail', { id: 1 }) })),
  api.endpoint('thing-107-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-107-detail', { id: params.id + 1 }), all: reverse('thing-107-list') })),
  api.endpoint('thing-108-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-108-detail', { id: 1 }) })),
  api.endpoint('thing-108-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-108-detail', { id: params.id + 1 }), all: reverse('thing-108-list') })),
  api.endpoint('thing-109-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-109-detail', { id: 1 }) })),
  api.endpoint('thing-109-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-109-detail', { id: params.id + 1 }), all: reverse('thing-109-list') })),
  api.endpoint('thing-110-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-110-detail', { id: 1 }) })),
  api.endpoint('thing-110-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-110-detail', { id: params.id + 1 }), all: reverse('thing-110-list') })),
  api.endpoint('thing-111-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-111-detail', { id: 1 }) })),
  api.endpoint('thing-111-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-111-detail', { id: params.id + 1 }), all: reverse('thing-111-list') })),
  api.endpoint('thing-112-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-112-detail', { id: 1 }) })),
  api.endpoint('thing-112-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-112-detail', { id: params.id + 1 }), all: reverse('thing-112-list') })),
  api.endpoint('thing-113-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-113-detail', { id: 1 }) })),
  api.endpoint('thing-113-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-113-detail', { id: params.id + 1 }), all: reverse('thing-113-list') })),
  api.endpoint('thing-114-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-114-detail', { id: 1 }) })),
  api.endpoint('thing-114-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-114-detail', { id: params.id + 1 }), all: reverse('thing-114-list') })),
  api.endpoint('thing-115-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-115-detail', { id: 1 }) })),
  api.endpoint('thing-115-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-115-detail', { id: params.id + 1 }), all: reverse('thing-115-list') })),
  api.endpoint('thing-116-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-116-detail', { id: 1 }) })),
  api.endpoint('thing-116-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-116-detail', { id: params.id + 1 }), all: reverse('thing-116-list') })),
  api.endpoint('thing-117-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-117-detail', { id: 1 }) })),
  api.endpoint('thing-117-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-117-detail', { id: params.id + 1 }), all: reverse('thing-117-list') })),
  api.endpoint('thing-118-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-118-detail', { id: 1 }) })),
  api.endpoint('thing-118-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-118-detail', { id: params.id + 1 }), all: reverse('thing-118-list') })),
  api.endpoint('thing-119-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-119-detail', { id: 1 }) })),
  api.endpoint('thing-119-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-119-detail', { id: params.id + 1 }), all: reverse('thing-119-list') })),
  api.endpoint('thing-120-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-120-detail', { id: 1 }) })),
  api.endpoint('thing-120-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-120-detail', { id: params.id + 1 }), all: reverse('thing-120-list') })),
  api.endpoint('thing-121-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-121-detail', { id: 1 }) })),
  api.endpoint('thing-121-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-121-detail', { id: params.id + 1 }), all: reverse('thing-121-list') })),
  api.endpoint('thing-122-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-122-detail', { id: 1 }) })),
  api.endpoint('thing-122-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-122-detail', { id: params.id + 1 }), all: reverse('thing-122-list') })),
  api.endpoint('thing-123-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-123-detail', { id: 1 }) })),
  api.endpoint('thing-123-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-123-detail', { id: params.id + 1 }), all: reverse('thing-123-list') })),
  api.endpoint('thing-124-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-124-detail', { id: 1 }) })),
  api.endpoint('thing-124-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-124-detail', { id: params.id + 1 }), all: reverse('thing-124-list') })),
]
