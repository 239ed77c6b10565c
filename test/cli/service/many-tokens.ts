import { defineApi } from 'colophon'
import { defineAccounts, openDatabase } from 'colophon/sqlite'

const accounts = defineAccounts({ database: openDatabase(), manyTokens: true })

export default defineApi({ urls: {}, accounts }).serve([])
