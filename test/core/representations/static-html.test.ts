import { describe, expect, test } from 'vitest'
import { StaticHTMLRenderer } from '../../../src/core/representations/static-html.ts'
import { reply } from '../../../src/core/replies/reply.ts'
import { contextOf } from './context.ts'

const renderer = new StaticHTMLRenderer()
const render = (data: unknown, status = 200): string =>
  renderer.render(reply(data, { status }), contextOf([renderer]))

describe('HTML that a handler has written', () => {
  test('is announced as HTML, under the format html', () => {
    expect(renderer).toMatchObject({
      mediaType: 'text/html',
      contentType: 'text/html; charset=utf-8',
      format: 'html',
    })
  })

  test('goes out as it is', () => {
    expect(render('<p>ä</p>')).toBe('<p>ä</p>')
    expect(render('')).toBe('')
  })
})

describe('what is no HTML becomes a page', () => {
  test('an error with its status and its sentence', () => {
    const html = render({ detail: 'There is nothing at this address.' }, 404)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('<title>404 Not Found – Book List</title>')
    expect(html).toContain('<h1>404 Not Found</h1>')
    expect(html).toContain('<p>There is nothing at this address.</p>')
  })

  test('many messages', () => {
    expect(render({ title: ['It is long.'] }, 400)).toContain('<p>title: It is long.</p>')
    expect(render(['No.'], 400)).toContain('&quot;No.&quot;')
    expect(render({ detail: { a: 'b' } }, 400)).toContain('&quot;a&quot;')
  })

  test('nothing is taken for tags', () => {
    const html = render({ detail: '<script>alert("1")</script>' }, 403)
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
  })

  test('a status without a name, and data without JSON', () => {
    expect(render({ detail: 'x' }, 599)).toContain('<h1>599</h1>')
    expect(render(() => {}, 500)).toContain('<p></p>')
  })
})
