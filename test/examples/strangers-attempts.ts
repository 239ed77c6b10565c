// What a stranger tries on the support desk of the tutorial. Each attempt is refused as if nothing were there.
export interface Attempt {
  readonly method: string
  readonly path: string
  readonly json?: object
  readonly form?: Readonly<Record<string, string>>
  /** Sends a form with a file. */
  readonly file?: true
  readonly accept?: string
}

const foreign = '/organisations/1/'
const own = '/organisations/2/'
const ticket = { title: 'Mine', subject: 'Mine', body: 'now', organisation: 1, ticket: 1, id: 1 }

/** Addresses of the foreign organisation, by what can be done there. */
const LISTS = ['tickets/', 'tickets/1/comments/', 'tickets/1/files/']
const DETAILS = ['', 'tickets/1/', 'tickets/1/comments/1/', 'tickets/1/files/1/']

/** A cursor of Ada's own list is another way to ask for it. */
export function attempts(cursor: string): readonly Attempt[] {
  const pages = ['', `?cursor=${cursor}`, '?page_size=100', '?format=json']
  const searches = [
    '?search=printer',
    '?status=open',
    '?ordering=createdAt',
    '?createdAt__gte=2000-01-01T00:00:00Z',
  ]
  const at = (method: string, path: string, more: Partial<Attempt> = {}): Attempt => ({
    method,
    path,
    ...more,
  })
  return [
    ...searches.map((query) => at('GET', `${foreign}tickets/${query}`)),
    ...LISTS.flatMap((list) => [
      ...pages.map((query) => at('GET', `${foreign}${list}${query}`)),
      at('HEAD', `${foreign}${list}`),
      at('POST', `${foreign}${list}`, { json: ticket }),
      at('POST', `${foreign}${list}`, { form: { title: 'Mine', subject: 'Mine', body: 'now' } }),
      at('POST', `${foreign}${list}`, { file: true }),
    ]),
    ...DETAILS.flatMap((detail) => [
      at('GET', `${foreign}${detail}`),
      at('HEAD', `${foreign}${detail}`),
      at('GET', `${foreign}${detail}`, { accept: 'text/html' }),
      at('GET', `${foreign}${detail}`, { accept: 'application/json; version=v2' }),
    ]),
    ...['PUT', 'PATCH', 'DELETE'].flatMap((method) => [
      at(method, `${foreign}tickets/1/`, method === 'DELETE' ? {} : { json: ticket }),
      // The foreign ticket, at an address of the own organisation.
      at(method, `${own}tickets/1/`, method === 'DELETE' ? {} : { json: ticket }),
    ]),
    at('DELETE', `${foreign}tickets/1/comments/1/`),
    at('POST', `${foreign}tickets/1/close/`),
    at('GET', `${foreign}tickets/1/files/1/content/`),
    at('GET', `${own}tickets/1/`),
    at('POST', `${own}tickets/1/close/`),
    ...['comments/', 'files/'].flatMap((list) => [
      at('GET', `${own}tickets/1/${list}`),
      at('POST', `${own}tickets/1/${list}`, { json: ticket }),
    ]),
    // The foreign comment, at an address of the own ticket, which is number 2.
    at('GET', `${own}tickets/2/comments/1/`),
    at('DELETE', `${own}tickets/2/comments/1/`),
    at('GET', `${own}tickets/2/files/1/`),
    at('GET', `${own}tickets/2/files/1/content/`),
  ]
}
