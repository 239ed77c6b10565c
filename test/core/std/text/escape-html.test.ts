import { expect, test } from 'vitest'
import { escapeHtml } from '../../../../src/core/std/text/escape-html.ts'

test('text cannot leave an element or a quoted attribute', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})

test('other text stays as it is', () => {
  expect(escapeHtml('héllo 日本 📚')).toBe('héllo 日本 📚')
})
