import { describe, expect, test } from 'vitest'
import { ENGLISH } from '../../../../src/core/messages/words.ts'
import { templatesFor } from '../../../../src/addons/pages/templates.ts'

const EMPTY = {
  action: '/login/',
  field: 'csrfmiddlewaretoken',
  token: 'tok',
  longestName: 150,
  next: '',
  username: '',
  refused: false,
}

const templates = await templatesFor({})

/** The page, without its style sheet. */
function form(facts: Partial<typeof EMPTY> = {}): string {
  const known = { ...EMPTY, ...facts }
  const title = 'Log in'
  const windowTitle = known.refused ? 'Error: Log in' : title
  const theme = 'auto' as const
  const data = { title, windowTitle, theme, themes: [], form: known, sentence: 'No.' }
  return templates.render('login', ENGLISH, data).replace(/<style>[^]*?<\/style>/, '')
}

/** The attributes of the element with this attribute. */
function element(html: string, marked: string): string {
  return html.match(new RegExp(`<[a-z]+ [^>]*${marked}[^>]*>`))?.[0] ?? ''
}

describe('the login page', () => {
  test('says its language, its title and its heading', () => {
    expect(form()).toContain('<html lang="en" dir="ltr" data-theme="auto">')
    expect(form()).toContain('<title>Log in &ndash; API</title>')
    expect(form().match(/<h1>/g)).toHaveLength(1)
    expect(form()).toContain('<meta name="viewport"')
  })

  test('has a label for every field that is seen, and says what password managers want to know', () => {
    for (const [name, autocomplete] of [
      ['username', 'username'],
      ['password', 'current-password'],
    ]) {
      const input = element(form(), `name="${name}"`)
      expect(input).toContain(`id="${name}"`)
      expect(input).toContain(`autocomplete="${autocomplete}"`)
      expect(input).toContain(' required')
      expect(form()).toContain(`<label for="${name}">`)
    }
    expect(element(form(), 'name="password"')).toContain('type="password"')
  })

  test('holds the token and the address to go to, out of sight', () => {
    const html = form({ next: '/a?b=c&d' })
    expect(html).toContain('<input type="hidden" name="csrfmiddlewaretoken" value="tok">')
    expect(html).toContain('<input type="hidden" name="next" value="/a?b=c&amp;d">')
    expect(html).toContain('<form method="post" action="/login/">')
  })

  test('begins with the user name; after a refusal with the password', () => {
    expect(element(form(), 'name="username"')).toContain(' autofocus')
    const refused = form({ refused: true, username: 'alice' })
    expect(element(refused, 'name="username"')).not.toContain(' autofocus')
    expect(element(refused, 'name="password"')).toContain(' autofocus')
  })

  test('after a refusal it says so, to everybody, and keeps the user name but no password', () => {
    const html = form({ refused: true, username: 'alice' })
    expect(html).toContain('<title>Error: Log in &ndash; API</title>')
    expect(element(html, 'role="alert"')).toContain('id="refused"')
    expect(html.match(/aria-describedby="refused"/g)).toHaveLength(2)
    expect(element(html, 'name="username"')).toContain('value="alice"')
    expect(element(html, 'name="password"')).not.toContain('value=')
    expect(form()).not.toContain('role="alert"')
  })

  test('runs no script and loads nothing', () => {
    expect(form({ refused: true })).not.toMatch(/<script|<link|<img|\son[a-z]+=|https?:|url\(/i)
  })

  test('shows what was typed as text, whatever it is', () => {
    const evil = `"><script>alert(1)</script>' onfocus='x`
    const html = form({ username: evil, next: evil, action: evil, token: evil, refused: true })
    expect(html).not.toContain('<script')
    expect(html).not.toContain("' onfocus")
    expect(html.match(/&quot;&gt;&lt;script&gt;/g)).toHaveLength(4)
  })
})
