// A package of a database alone: nothing here has loaded the main door.
import { defineAccounts } from 'colophon/accounts'
import { column, openDatabase, sqlTable } from 'colophon/sql'
import type { Generated } from 'kysely'
export interface Tables {
  ticket: {
    id: Generated<number>
    title: string
    organisation_id: number
    assignee_id: number | null
  }
}
export const database = openDatabase()
export const db = database.kysely<Tables>()
export const accounts = defineAccounts({ database })
export const { tokens, users } = accounts
export const team = column.references('team', { nullable: true })
export const agents = defineAccounts({ database, roles: ['agent', 'lead'], columns: { team } })
export const newAgent = (username: string) => agents.users.create({ username, roles: ['agent'] })
export const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
export const mine = (id: number) => tickets.only((query) => query.where('organisation_id', '=', id))
