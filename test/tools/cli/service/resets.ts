import { defineApi, defineUrls } from 'colophon'
import { passwordReset, passwordResetUrls } from 'colophon/account'
import { defineAccounts } from 'colophon/accounts'
import { loginPages, loginUrls } from 'colophon/browsable'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase() })
const urls = defineUrls({ ...loginUrls, ...passwordResetUrls })

const api = defineApi({ urls, accounts })
export default api.serve([...loginPages(api, { accounts }), ...passwordReset(api, { accounts })])
