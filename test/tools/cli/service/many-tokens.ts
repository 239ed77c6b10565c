import { defineApi } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase(), manyTokens: true })

export default defineApi({ urls: {}, accounts }).serve([])
