// Every kind of page, with the way to it.
import type { Page } from 'playwright-core'
import { PASSWORD } from './people.ts'

/** One kind of page. */
export interface Kind {
  readonly title: string
  readonly path: string
  /** The user who has logged in. @default none */
  readonly as?: string
  /** The steps of a visitor on the page, with a script, before the picture. */
  readonly steps?: (page: Page) => Promise<unknown>
}

const answered = (page: Page, status: number): Promise<unknown> =>
  page.waitForSelector(`h2.status:has-text("${status}")`)

/** Fills in and sends the form that creates a row. */
export async function fillForm(
  page: Page,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await page.fill(`#form-post [name=${name}]`, value)
  await page.click('#form-post button[type=submit]')
}

export const KINDS: Readonly<Record<string, Kind>> = {
  root: { title: 'The root', path: '/' },
  list: { title: 'A list, with what may be created', path: '/v2/books/?page=3', as: 'jane' },
  filtered: {
    title: 'A list that is searched, ordered and filtered',
    path: '/v2/books/?search=Emma&ordering=-year&kind=novel',
  },
  detail: { title: 'An object, with what may be changed', path: '/v2/books/3/', as: 'jane' },
  errors: {
    title: 'What is wrong, at each field',
    path: '/v2/books/',
    as: 'jane',
    steps: async (page) => {
      await fillForm(page, {
        title: 'Love and Freindship',
        published: '17',
        author: '/v2/authors/12/x',
      })
      await answered(page, 400)
      await page.locator('.wrong').first().scrollIntoViewIfNeeded()
    },
  },
  created: {
    title: 'What was created',
    path: '/v2/books/',
    as: 'jane',
    steps: async (page) => {
      await page.selectOption('#form-post [name=kind]', 'novel')
      await fillForm(page, { title: 'Sanditon', published: '1817', author: '/v2/authors/1/' })
      await answered(page, 201)
    },
  },
  raw: {
    title: 'Raw data',
    path: '/v2/books/3/',
    as: 'jane',
    steps: async (page) => {
      await page.click('summary:has-text("Raw data")')
      await page.locator('#body-put').scrollIntoViewIfNeeded()
    },
  },
  delete: {
    title: 'Before something is deleted',
    path: '/v2/books/3/',
    as: 'jane',
    steps: (page) => page.click('[data-opens=confirm-delete]'),
  },
  upload: { title: 'A form with a file', path: '/scans/', as: 'jane' },
  compare: { title: 'Two versions side by side', path: '/v2/books/3/?_view=compare-v1' },
  options: { title: 'What OPTIONS says', path: '/v2/books/?_view=options', as: 'jane' },
  copy: {
    title: 'The request for another tool',
    path: '/v2/books/?search=Emma',
    steps: (page) => page.click('.copies summary'),
  },
  cursor: { title: 'Pages by a cursor', path: '/feed/' },
  empty: { title: 'A list of nothing', path: '/v2/books/?search=nothing' },
  acting: {
    title: 'Seeing as another user',
    path: '/own/?page=2',
    as: 'jane',
    steps: async (page) => {
      await page.click('.act-as summary')
      await page.fill('#act-as', 'bob')
      await page.click('.act-as button')
      await page.waitForSelector('.acting')
    },
  },
  refused: { title: 'Who has to log in', path: '/own/' },
  forbidden: { title: 'Who may not', path: '/staff/', as: 'bob' },
  missing: { title: 'What is not there', path: '/nowhere/' },
  login: { title: 'Logging in', path: '/login/' },
  'login-refused': {
    title: 'Logging in with a wrong password',
    path: '/login/',
    steps: async (page) => {
      await page.fill('[name=username]', 'jane')
      await page.fill('[name=password]', 'wrong')
      await page.click('main button[type=submit]')
      await page.waitForSelector('[role=alert]')
    },
  },
}

/** Lets the visitor log in if the kind needs it and cookies do not know the user, and takes the steps to the page. */
export async function visit(page: Page, { path, as, steps }: Kind): Promise<void> {
  const known = await page.context().cookies()
  if (as !== undefined && known.length === 0) await logIn(page, as)
  await page.goto(path)
  await steps?.(page)
}

export async function logIn(page: Page, as: string): Promise<void> {
  await page.goto('/login/')
  await page.fill('[name=username]', as)
  await page.fill('[name=password]', PASSWORD)
  await page.click('main button[type=submit]')
  await page.waitForURL(({ pathname }) => pathname !== '/login/')
}
