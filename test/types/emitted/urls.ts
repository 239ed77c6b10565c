// Addresses, which other modules import.
import { defineUrls, include, resourceUrls } from 'colophon'
export const urls = defineUrls({
  root: '/',
  ...resourceUrls('ticket', '/tickets/', ':id<int>'),
  'ticket-close': '/tickets/:id<int>/close/',
  'ticket-find': ['/find/', '/find/:text'],
  v1: include('/v1', {
    'report-list': '/reports/',
    staff: include('/staff', { 'member-list': '/members/' }),
  }),
  v2: include('/v2', { 'report-list': '/reports/' }),
})
export const versionedUrls = defineUrls({
  ...resourceUrls('ticket', '/:version<v1|v2>/tickets/', ':id<int>'),
})
