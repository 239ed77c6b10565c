import { obtainToken as answerToken } from 'colophon'
import type { View } from './view.ts'

export const obtainToken: View = {
  verbs: (endpoint, _config, { accounts }) => endpoint.post(answerToken({ accounts })),
}

export const obtainTokenWithUser: View = {
  verbs: (endpoint, _config, { accounts }) =>
    endpoint.post(
      answerToken({
        accounts,
        respond: ({ token, user }) => ({ token: token.key, user_id: user.id, email: user.email }),
      }),
    ),
}
