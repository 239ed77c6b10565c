import { Form, type FormValue } from 'colophon'
import type { Request } from '../../request.ts'
import type { View } from './view.ts'

/** What the body was read as. */
export const parseEcho: View = {
  verbs: (endpoint) => endpoint.post(echo).put(echo).patch(echo).delete(echo),
}

async function echo(request: Request): Promise<object> {
  const body = await request.body()
  return body instanceof Form
    ? { kind: 'form', data: showForm(body) }
    : { kind: 'json', data: body }
}

function showForm(form: Form): object {
  return Object.fromEntries(form.names().map((name) => [name, form.getAll(name).map(showValue)]))
}

function showValue(value: FormValue): unknown {
  return typeof value === 'string' ? value : { file: value.name, size: value.size }
}

/** Never looks at the body. */
export const ignoresBody: View = { verbs: (endpoint) => endpoint.post(() => ({ read: false })) }
