// Replies and errors.
import {
  ApiError,
  AuthenticationFailed,
  type Detail,
  ErrorDetail,
  NotFound,
  type Reply,
  Throttled,
  ValidationError,
  reply,
} from 'colophon'
import { type Equal, expectType } from './expect.ts'

export function replies(): void {
  const created = reply({ id: 7 }, { status: 201, headers: { Location: '/7/' } })
  // a reply knows its data
  expectType<Equal<typeof created, Reply<{ id: number }>>>()
  // no body is `null`
  expectType<Equal<ReturnType<typeof reply<null>>['data'], null>>()
  // @ts-expect-error a status is a number
  reply({}, { status: '201' })
  // @ts-expect-error a header is a text
  reply({}, { headers: { 'Retry-After': 5 } })
  // @ts-expect-error no other options
  reply({}, { code: 201 })
  // @ts-expect-error left out is one thing, undefined another
  reply({}, { contentType: undefined })
  // @ts-expect-error a reply is not changed afterwards
  created.status = 200
  // @ts-expect-error nor are its headers
  created.headers['Location'] = '/8/'
}

class Teapot extends ApiError {
  static override readonly status = 418
  static override readonly code = 'teapot'
  static override readonly detail = 'This one only makes tea.'
}
// @ts-expect-error a status is a number
export class Textual extends ApiError {
  static override readonly status = '418'
}
export class Misspelt extends ApiError {
  // @ts-expect-error an error has no such member
  static override readonly sentence = 'This one only makes tea.'
  // @ts-expect-error what replaces something says so
  static readonly code = 'teapot'
}

export function errors(error: ApiError, throttled: Throttled): void {
  // a class of one's own is an error of the api
  expectType<Teapot extends ApiError ? true : false>()
  // and keeps what it says of itself
  expectType<Equal<typeof Teapot.status, 418>>()
  // it is made with a detail, or without
  expectType<Equal<InstanceType<typeof Teapot>['detail'], Detail>>()
  // a detail is a text, or lists and objects of them, as deep as one likes
  const deep = new ValidationError({ title: ['Too long.', new ErrorDetail('No.', 'no')] })
  // @ts-expect-error a number is no message
  const numbered = new ValidationError({ title: 7 })
  // @ts-expect-error neither for one sentence
  const missing = new NotFound(404)
  // @ts-expect-error seconds to wait are a number
  const soon = new Throttled('soon')
  // nobody may know how long
  expectType<Equal<typeof throttled.wait, number | null>>()
  // the shape of the codes is the detail's own
  expectType<Equal<typeof error.codes, unknown>>()
  // @ts-expect-error an error is not changed
  error.status = 500
  // another status makes another error of the same class
  expectType<Equal<ReturnType<AuthenticationFailed['answeredWith']>, AuthenticationFailed>>()
  return void [deep, numbered, missing, soon]
}
