import { NotFound } from 'colophon'
import type { Request } from '../../request.ts'
import { errors } from '../errors.ts'
import type { View } from './view.ts'

/** Raises the error that the path names. */
export const error: View = { verbs: (endpoint) => endpoint.get(raise).post(raise) }

function raise({ params, method }: Request): never {
  const kind = String(params['kind'])
  throw Object.hasOwn(errors, kind) ? errors[kind]!(method) : new NotFound()
}
