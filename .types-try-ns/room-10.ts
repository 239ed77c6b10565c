import { byVersion } from 'colophon'
import { api } from './api.ts'

const title = byVersion({ v1: 'v1', v2: 'v2', v3: 'v3', v4: 'v4', v5: 'v5', v6: 'v6', v7: 'v7', v8: 'v8', v9: 'v9', v10: 'v10' })

export const endpoints = [
  api.endpoint('thing-250-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-250-detail', { id: 1 }) })),
  api.endpoint('thing-250-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-250-detail', { id: params.id + 1 }), all: reverse('thing-250-list') })),
  api.endpoint('thing-251-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-251-detail', { id: 1 }) })),
  api.endpoint('thing-251-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-251-detail', { id: params.id + 1 }), all: reverse('thing-251-list') })),
  api.endpoint('thing-252-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-252-detail', { id: 1 }) })),
  api.endpoint('thing-252-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-252-detail', { id: params.id + 1 }), all: reverse('thing-252-list') })),
  api.endpoint('thing-253-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-253-detail', { id: 1 }) })),
  api.endpoint('thing-253-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-253-detail', { id: params.id + 1 }), all: reverse('thing-253-list') })),
  api.endpoint('thing-254-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-254-detail', { id: 1 }) })),
  api.endpoint('thing-254-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-254-detail', { id: params.id + 1 }), all: reverse('thing-254-list') })),
  api.endpoint('thing-255-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-255-detail', { id: 1 }) })),
  api.endpoint('thing-255-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-255-detail', { id: params.id + 1 }), all: reverse('thing-255-list') })),
  api.endpoint('thing-256-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-256-detail', { id: 1 }) })),
  api.endpoint('thing-256-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-256-detail', { id: params.id + 1 }), all: reverse('thing-256-list') })),
  api.endpoint('thing-257-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-257-detail', { id: 1 }) })),
  api.endpoint('thing-257-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-257-detail', { id: params.id + 1 }), all: reverse('thing-257-list') })),
  api.endpoint('thing-258-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-258-detail', { id: 1 }) })),
  api.endpoint('thing-258-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-258-detail', { id: params.id + 1 }), all: reverse('thing-258-list') })),
  api.endpoint('thing-259-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-259-detail', { id: 1 }) })),
  api.endpoint('thing-259-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-259-detail', { id: params.id + 1 }), all: reverse('thing-259-list') })),
  api.endpoint('thing-260-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-260-detail', { id: 1 }) })),
  api.endpoint('thing-260-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-260-detail', { id: params.id + 1 }), all: reverse('thing-260-list') })),
  api.endpoint('thing-261-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-261-detail', { id: 1 }) })),
  api.endpoint('thing-261-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-261-detail', { id: params.id + 1 }), all: reverse('thing-261-list') })),
  api.endpoint('thing-262-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-262-detail', { id: 1 }) })),
  api.endpoint('thing-262-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-262-detail', { id: params.id + 1 }), all: reverse('thing-262-list') })),
  api.endpoint('thing-263-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-263-detail', { id: 1 }) })),
  api.endpoint('thing-263-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-263-detail', { id: params.id + 1 }), all: reverse('thing-263-list') })),
  api.endpoint('thing-264-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-264-detail', { id: 1 }) })),
  api.endpoint('thing-264-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-264-detail', { id: params.id + 1 }), all: reverse('thing-264-list') })),
  api.endpoint('thing-265-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-265-detail', { id: 1 }) })),
  api.endpoint('thing-265-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-265-detail', { id: params.id + 1 }), all: reverse('thing-265-list') })),
  api.endpoint('thing-266-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-266-detail', { id: 1 }) })),
  api.endpoint('thing-266-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-266-detail', { id: params.id + 1 }), all: reverse('thing-266-list') })),
  api.endpoint('thing-267-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-267-detail', { id: 1 }) })),
  api.endpoint('thing-267-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-267-detail', { id: params.id + 1 }), all: reverse('thing-267-list') })),
  api.endpoint('thing-268-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-268-detail', { id: 1 }) })),
  api.endpoint('thing-268-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-268-detail', { id: params.id + 1 }), all: reverse('thing-268-list') })),
  api.endpoint('thing-269-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-269-detail', { id: 1 }) })),
  api.endpoint('thing-269-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-269-detail', { id: params.id + 1 }), all: reverse('thing-269-list') })),
  api.endpoint('thing-270-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-270-detail', { id: 1 }) })),
  api.endpoint('thing-270-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-270-detail', { id: params.id + 1 }), all: reverse('thing-270-list') })),
  api.endpoint('thing-271-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-271-detail', { id: 1 }) })),
  api.endpoint('thing-271-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-271-detail', { id: params.id + 1 }), all: reverse('thing-271-list') })),
  api.endpoint('thing-272-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-272-detail', { id: 1 }) })),
  api.endpoint('thing-272-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-272-detail', { id: params.id + 1 }), all: reverse('thing-272-list') })),
  api.endpoint('thing-273-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-273-detail', { id: 1 }) })),
  api.endpoint('thing-273-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-273-detail', { id: params.id + 1 }), all: reverse('thing-273-list') })),
  api.endpoint('thing-274-list')
    .get((request) => ({ title: title(request), first: request.reverse('thing-274-detail', { id: 1 }) })),
  api.endpoint('thing-274-detail')
    .get(({ params, reverse }) => ({ next: reverse('thing-274-detail', { id: params.id + 1 }), all: reverse('thing-274-list') })),
]
