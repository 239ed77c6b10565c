// Endpoints, resources and behaviours by themselves.
import {
  apiRoot,
  arraySource,
  create,
  destroy,
  found,
  list,
  paginated,
  partialUpdate,
  reply,
  resource,
  retrieve,
  update,
} from 'colophon'
import { admins, api, members, several, spaces, versioned } from './api.ts'
import { tickets } from './database.ts'
import { brief, person } from './serializers.ts'
export const list1 = members.endpoint('ticket-list')
export const ticketList = list1.get(
  list({ source: tickets.source, serializer: brief, searchFields: ['title'] }),
)
export const listing = list({ source: tickets.source, serializer: brief })
export const detail = admins
  .endpoint('ticket-detail', { title: 'Ticket' })
  .get(retrieve({ find: ({ params }) => tickets.find(params.id), serializer: brief }))
export const handler = detail.put(async (request) =>
  reply({ user: request.user.username, version: request.version }),
)
export const fromRoot = api.endpoint('root').get(apiRoot({ tickets: 'ticket-list' }))
export const reports = spaces
  .endpoint('report-list')
  .get(({ version, reverse }) => [version, reverse('v1:report-list')])
export const sev = several.endpoint('root').get(({ user }) => user)
export const ones = resource(members, 'ticket', {
  store: tickets,
  serializer: brief,
  only: ['destroy'],
})
export const vers = versioned
  .endpoint('ticket-list')
  .get(({ version, reverse }) => ({ version, next: reverse('ticket-detail', { id: 1 }) }))
export const source = arraySource([{ id: 1, title: 'x' }])
export const writing = create({ serializer: person, save: (input) => ({ id: 1, ...input }) })
export const removing = destroy({ find: () => ({ id: 1 }), remove: () => true })
export const updating = update({
  find: () => ({ id: 1, name: 'x' }),
  serializer: person,
  save: (input) => ({ id: 1, ...input }),
})
export const patching = partialUpdate({
  find: () => ({ id: 1, name: 'x' }),
  serializer: person,
  save: () => ({ id: 1, name: '' }),
})
export const app = api.serve([ticketList, detail, fromRoot])
export const urlFor = app.urlFor
export default versioned.serve([vers])
export { found, paginated }
