// W13–W18 and W24 in a real browser: forms with a script and without one. What the forms hold: test/addons/pages/form-model.test.ts.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fillForm, logIn } from '../../scripts/pictures/kinds.ts'
import { configurationOf } from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import { type Book, formService } from './form-service.ts'
import { type Stage, openStage } from './stage.ts'
import { turned, visitorOf } from './visitor.ts'

const books: Book[] = []
let stage: Stage
let server: RunningServer
beforeAll(async () => {
  const configuration = configurationOf({ LOGIN_REDIRECT_URL: '/books/' })
  stage = await openStage({ configuration })
  server = await stage.serve(formService(stage.accounts, books))
})
afterAll(() => stage.close())
beforeEach(() => void books.splice(0))

/** A visitor who has logged in, and everything that a page complained about. */
async function visitor({
  script = true,
  as = 'jane',
}: { script?: boolean; as?: string | null } = {}) {
  const options = { javaScriptEnabled: script }
  const { page, met: complaints } = await visitorOf(stage.browser, server.url, options)
  if (as !== null) await logIn(page, as)
  return { page, complaints }
}

const addBook = (title = 'Emma', owner = 'jane') =>
  books.push({
    id: books.length + 1,
    title,
    author_id: 7,
    editor_id: null,
    kind: 'novel',
    tags: ['x', 'y'],
    done: true,
    owner,
  })

const fillBook = async (page: Page, title: string) => {
  await page.selectOption('#form-post [name=kind]', 'novel')
  await fillForm(page, { title, author: '/authors/7/' })
}
const status = (page: Page, code: number) => page.waitForSelector(`h2.status:has-text("${code}")`)

describe.each([true, false])('with a script: %s', (script) => {
  test('W13, W15 a book is created, after what is wrong was shown at its field', async () => {
    const { page, complaints } = await visitor({ script })
    await turned(page, () => fillBook(page, 'A title that is far too long'))
    await status(page, 400)
    expect(await page.inputValue('#form-post [name=title]')).toBe('A title that is far too long')
    expect(await page.textContent('.wrong .errors')).toContain('20 characters')
    expect(await page.isVisible('[aria-invalid]')).toBe(true)
    await turned(page, () => fillBook(page, 'Persuasion'))
    await status(page, 201)
    expect(books).toMatchObject([{ title: 'Persuasion', author_id: 7, done: false }])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('who may only read is offered no form', async () => {
    addBook()
    const { page } = await visitor({ script, as: null })
    await page.goto('/books/1/')
    expect(await page.locator('.write').count()).toBe(0)
    await page.context().close()
  })

  test('hostile names, labels, help, choices and values do nothing', async () => {
    const { page, complaints } = await visitor({ script })
    await page.goto('/odd/')
    await page.fill('#form-post [name=action]', 'x')
    await page.fill('#form-post [name=dataset]', '"><script>alert(3)</script>'.repeat(3))
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await status(page, 400)
    expect(await page.inputValue('#form-post [name=action]')).toBe('x')
    expect(await page.locator('#form-post .errors li').count()).toBeGreaterThan(1)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('without a script', () => {
  test('W24 what a form cannot send is disabled, and told as a command line', async () => {
    addBook()
    const { page } = await visitor({ script: false })
    await page.goto('/books/1/')
    expect(await page.isDisabled('#form-put button[type=submit]')).toBe(true)
    expect(await page.isVisible('.scriptless')).toBe(true)
    expect(await page.textContent('[aria-labelledby=write-delete] pre')).toContain('curl -X DELETE')
    await page.context().close()
  })
})

describe('without a script, where the session ends in the middle of a form', () => {
  test('it is refused, and the way back leads to what was typed, which can be sent after a new log-in', async () => {
    const { page, complaints } = await visitor({ script: false })
    const jane = await stage.accounts.users.byUsername('jane')
    await stage.accounts.sessions.endAllOf(jane!)
    await turned(page, () => fillBook(page, 'Kept'))
    await status(page, 403)
    expect(books).toEqual([])
    await page.goBack()
    expect(await page.inputValue('#form-post [name=title]')).toBe('Kept')
    // The page is older than the session of a new log-in: what it sends is held, and sent once more.
    await logIn(await page.context().newPage(), 'jane')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await status(page, 403)
    expect(books).toEqual([])
    await turned(page, () => page.click('main form:has-text("still here") button'))
    await status(page, 201)
    expect(books).toMatchObject([{ title: 'Kept', kind: 'novel' }])
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('with a script', () => {
  test('W14, W24 a book is changed and deleted, in its own methods', async () => {
    addBook()
    const { page, complaints } = await visitor()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET')
        sent.push(`${request.method()} ${request.headers()['accept']}`)
    })
    await page.goto('/books/1/')
    expect(await page.inputValue('#form-put [name=title]')).toBe('Emma')
    await page.fill('#form-put [name=title]', 'Sanditon')
    await page.uncheck('#form-put [name=tags][value=x]')
    await page.fill('#form-put [data-name=tags]', 'new')
    await page.click('#form-put [data-adds]')
    await page.uncheck('#form-put [name=done]')
    await turned(page, () => page.click('#form-put button[type=submit]'))
    await page.waitForSelector('span.m-put:has-text("PUT")')
    await status(page, 200)
    expect(books).toMatchObject([{ title: 'Sanditon', tags: ['y', 'new'], done: false }])
    await page.click('[data-opens=confirm-delete]')
    await page.click('dialog [data-closes]')
    await page.click('[data-opens=confirm-delete]')
    await turned(page, () => page.click('dialog button.danger'))
    await page.waitForSelector('.answer span.m-delete')
    expect([books, sent]).toEqual([
      [],
      ['PUT text/html; q=1.0, */*', 'DELETE text/html; q=1.0, */*'],
    ])
    expect(complaints).toEqual([])
    await page.goBack()
    await status(page, 404)
    await page.context().close()
  })

  test('W14 raw data is sent as it is written, by PUT or PATCH', async () => {
    addBook()
    const { page, complaints } = await visitor()
    await page.goto('/books/1/')
    await page.click('summary:has-text("Raw data")')
    await page.fill('#body-put', '{"title": ')
    await turned(page, () => page.click('#raw-put button[data-method=PATCH]'))
    await status(page, 400)
    expect(await page.inputValue('#body-put')).toBe('{"title": ')
    await page.fill('#body-put', '{"title": "By hand"}')
    await turned(page, () => page.press('#body-put', 'Control+Enter'))
    await status(page, 400)
    await turned(page, () => page.click('#raw-put button[data-method=PATCH]'))
    await status(page, 200)
    expect(books).toMatchObject([{ title: 'By hand', done: true }])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test.each([
    ['address', 'author', '/authors/299/'],
    ['key', 'editor', '299'],
  ])(
    'a row is looked up by its %s in the list of the API, never listed on the page',
    async (_, name, value) => {
      const { page, complaints } = await visitor()
      expect(await page.content()).not.toContain('Author 299')
      const asked = page.waitForRequest(/authors\/\?search=/)
      const input = page.locator(`#form-post [name=${name}]`)
      await input.pressSequentially('299')
      await asked
      const option = page.locator(`datalist[id=${await input.getAttribute('list')}] option`)
      const options = () =>
        option.evaluateAll((all) =>
          (all as HTMLOptionElement[]).map(({ label, value: text }) => [label, text]),
        )
      // Who types slowly is also offered what the beginning could mean.
      const found = ['Author 299', expect.stringMatching(new RegExp(`${value}$`))]
      await expect.poll(options).toEqual([found])
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  test('nothing typed is lost where the session ends, and it can be sent after a new log-in', async () => {
    const { page, complaints } = await visitor()
    await page.fill('#form-post [name=title]', 'Kept')
    const jane = await stage.accounts.users.byUsername('jane')
    await stage.accounts.sessions.endAllOf(jane!)
    await fillBook(page, 'Kept')
    const link = page.locator('#form-post [data-told] a')
    await link.waitFor()
    expect([await page.inputValue('#form-post [name=title]'), books]).toEqual(['Kept', []])
    expect(await link.getAttribute('target')).toBe('_blank')
    const other = await page.context().newPage()
    await logIn(other, 'jane')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await status(page, 201)
    expect(books).toMatchObject([{ title: 'Kept' }])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('nothing typed is lost where nothing answers', async () => {
    const { page } = await visitor()
    await page.context().setOffline(true)
    await fillBook(page, 'Kept')
    await page.waitForSelector('#form-post [data-told]:has-text("No answer")')
    expect(await page.inputValue('#form-post [name=title]')).toBe('Kept')
    await page.context().close()
  })
})

describe.each([true, false])('seeing as another user, with a script: %s', (script) => {
  test('shows what both may see, says so, changes nothing, and ends', async () => {
    addBook('Of bob', 'bob')
    addBook('Of jane', 'jane')
    const { page, complaints } = await visitor({ script })
    const shown = () => page.textContent('pre.json')
    expect(await shown()).toContain('Of jane')
    await page.click('.act-as summary')
    await page.fill('#act-as', 'bob')
    await turned(page, () => page.click('.act-as button'))
    await page.waitForSelector('.acting:has-text("bob")')
    expect(await shown()).toContain('Of bob')
    expect(await shown()).not.toContain('Of jane')
    expect(await page.locator('.write').count()).toBe(0)
    await turned(page, () => page.click('.acting button'))
    await page.waitForSelector('.write')
    expect(await shown()).toContain('Of jane')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is not offered to others', async () => {
    const { page } = await visitor({ script, as: 'bob' })
    expect(await page.locator('.act-as').count()).toBe(0)
    await page.context().close()
  })
})
