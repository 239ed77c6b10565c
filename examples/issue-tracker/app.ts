// Issues of many organisations: each sees its own, authors and leads change them, in two versions.
import { mkdirSync } from 'node:fs'
import { CursorPagination, FieldFilter, IsAuthenticated, NamespaceVersioning } from 'colophon'
import { type RequestWith, SearchFilter, TokenAuthentication } from 'colophon'
import { defineApi, defineUrls, include, obtainToken } from 'colophon'
import { directoryStore, download, field, pathUnder } from 'colophon'
import { resource, resourceUrls, serializer } from 'colophon'
import type { Permission } from 'colophon/types'
import { accounts, attachments, issues, membershipsOf, organisations } from './tables.ts'

const uploads = process.env['UPLOADS'] ?? 'uploads'
mkdirSync(uploads, { recursive: true })

const ISSUES = '/organisations/:organisation/issues/'
const ATTACHMENTS = '/organisations/:organisation/issues/:issue<int>/attachments/'
const paths = defineUrls({
  ...resourceUrls('organisation', '/organisations/', ':slug'),
  ...resourceUrls('issue', ISSUES, ':id<int>'),
  ...resourceUrls('attachment', ATTACHMENTS, ':id<int>'),
  'attachment-content':
    '/organisations/:organisation/issues/:issue<int>/attachments/:id<int>/content/',
})
const urls = defineUrls({
  token: '/token/',
  v1: include('/v1', paths),
  v2: include('/v2', paths),
})

const api = defineApi({
  urls,
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
  pagination: new CursorPagination({ ordering: '-id', pageSize: 20 }),
  filters: [new SearchFilter(), new FieldFilter()],
  strictQuery: true,
})
const forMembers = api.group({ permissions: [new IsAuthenticated()] })

type FromMember = RequestWith<{ user: { readonly id: number } }>
interface Issue {
  readonly author: number
  readonly organisation: string
}

async function isLead({ user }: FromMember, { organisation }: Issue): Promise<boolean> {
  const memberships = await membershipsOf(user.id)
  return memberships.some((each) => each.organisation === organisation && each.role === 'lead')
}

class IsLead implements Permission<Issue, unknown, FromMember> {
  readonly message = 'Only leads of the organisation may do this.'
  hasObjectPermission(request: FromMember, issue: Issue): Promise<boolean> {
    return isLead(request, issue)
  }
}

class IsAuthorOrLead implements Permission<Issue, unknown, FromMember> {
  readonly message = 'Only its author and leads of the organisation may change an issue.'
  async hasObjectPermission(request: FromMember, issue: Issue): Promise<boolean> {
    return issue.author === request.user.id || (await isLead(request, issue))
  }
}

// Organisations of other users are not found, and neither are the resources below them.
const organisation = resource(forMembers, 'organisation', {
  store: organisations,
  only: ['list', 'retrieve'],
  scope: async ({ user }) => ({
    slug: (await membershipsOf(user.id)).map((membership) => membership.organisation),
  }),
  pagination: new CursorPagination({ ordering: 'slug', pageSize: 20 }),
  serializer: serializer({ slug: field.text(), name: field.text() }),
})

const issue = resource(forMembers, 'issue', {
  parent: organisation,
  by: 'organisation',
  store: issues,
  serializer: serializer({
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200 }),
    state: field.choice(['open', 'done'], { required: false }),
    // The first version does not have these fields.
    url: field.identity('issue-detail', { since: 'v2' }),
    author: field.integer({ readOnly: true, since: 'v2' }),
    priority: field.integer({ required: false, min: 0, max: 9, since: 'v2' }),
  }),
  searchFields: ['title'],
  filterFields: ['state'],
  permissions: {
    update: [new IsAuthorOrLead()],
    partialUpdate: [new IsAuthorOrLead()],
    destroy: [new IsLead()],
  },
  performCreate: (input, { user }, store) => store.insert({ ...input, author: user.id }),
})

const attachment = resource(forMembers, 'attachment', {
  parent: issue,
  by: 'issue',
  store: attachments,
  only: ['list', 'create', 'retrieve'],
  serializer: serializer({
    id: field.integer({ readOnly: true }),
    file: field.file({ source: 'key', store: directoryStore(uploads), maxSize: 2 ** 20 }),
  }),
  actions: {
    content: {
      detail: true,
      // Before the name that the client gave, the key has 22 random characters and a hyphen.
      get: async (request, row) =>
        download(request, await pathUnder(uploads, row.key), { name: row.key.slice(23) }),
    },
  },
})

const token = api.endpoint('token', { versioning: null }).post(obtainToken({ accounts }))

export default api.serve([token, ...organisation, ...issue, ...attachment])
