import { defineApi } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase() })

export default defineApi({ urls: {}, accounts }).serve([])
