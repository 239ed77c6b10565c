import { reply } from 'colophon'
import type { View } from './view.ts'

export const message: View = {
  verbs: (endpoint) =>
    endpoint.get(({ accepted }) => ({ message: 'héllo', accepted: accepted.renderer.format })),
}

/** Answers without content. */
export const nothing: View = {
  verbs: (endpoint) => endpoint.get(() => reply(null, { status: 204 })).post(() => null),
}
