import { defineApi } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase(), refreshTokens: {} })

export default defineApi({ urls: {}, accounts }).serve([])
