import { field, resource, serializer } from 'colophon'
import { forMembers } from './api.ts'
import { members, organisations, organisationsOf, prisma } from './tables.ts'

export const organisation = resource(forMembers, 'organisation', {
  store: organisations,
  scope: async ({ user }) => ({ id: await organisationsOf(user.id) }),
  only: ['list', 'create', 'retrieve'],
  serializer: serializer({
    id: field.integer({ readOnly: true }),
    name: field.text({ maxLength: 100 }),
  }),
  // The founder of an organisation is its first member: both rows are kept, or neither.
  performCreate: (input, { user }) =>
    prisma.$transaction(async (transaction) => {
      const founded = await organisations.in(transaction).insert(input)
      await members.in(transaction).insert({ organisation: founded.id, person: user.id })
      return founded
    }),
})
