// A service in which everything that a page can show is hostile, and what such a page may consist of.
import { readFileSync } from 'node:fs'
import {
  type App,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  ValidationError,
  arraySource,
  defineApi,
  defineUrls,
  field,
  list,
  reply,
  serializer,
} from '../../src/index.ts'

/** Each sets `window.hurt` where it runs. */
export const HOSTILE: readonly string[] = [
  '<script>hurt=1</script>',
  '</script><script>hurt=1</script>',
  '"><img src=x onerror=hurt=1>',
  "'><svg onload=hurt=1>",
  '" autofocus onfocus="hurt=1',
  "' onmouseover='hurt=1",
  '</pre></section><iframe srcdoc="<script>parent.hurt=1</script>">',
  '</style><script>hurt=1</script>',
  '</title><script>hurt=1</script>',
  '<!--><script>hurt=1</script>-->',
  ']]><script>hurt=1</script>',
  '<%= hurt=1 %><%~ "<script>hurt=1</script>" %>',
  '${hurt=1}{{hurt=1}}',
  'javascript:hurt=1',
  'data:text/html,<script>hurt=1</script>',
  'https://evil.example/"onmouseover="hurt=1',
  "https://evil.example/'><script>hurt=1</script>",
  '`https://evil.example/"><script>hurt=1</script>`',
  '&lt;script&gt;hurt=1&lt;/script&gt;&#60;script&#62;',
  '\\"<script>hurt=1</script>',
  '\u0000<\u2028script>\u202ehurt=1</script>',
  '<base href="https://evil.example/"><form action="https://evil.example/"><button>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '+ADw-script+AD4-hurt=1+ADw-/script+AD4-',
]

/** Headers can hold no other characters. */
const inHeader = (text: string): string => text.replaceAll(/[^\t\x20-\x7e]/g, '')

export function hostileService(text: string): App {
  const urls = defineUrls({
    data: '/data/',
    list: '/list/',
    error: '/error/',
    page: '/page/:name',
    'page-more': '/page/:name/more/',
  })
  const api = defineApi({ urls, logger: { error() {} } })
  const choices = { [text]: text, plain: text }
  const row = serializer({ id: field.integer(), kind: field.choice(choices, { helpText: text }) })
  const words = { title: text, description: `${text}\n\n\`${text}\` ${text}` }
  return api.serve([
    api
      .endpoint('data', words)
      .get(() =>
        reply(
          { [text]: text, nested: [{ [text]: [text] }], url: `https://x.example/${text}` },
          { headers: { 'X-Hostile': inHeader(text) } },
        ),
      ),
    api
      .endpoint('list', {
        ...words,
        pagination: new PageNumberPagination({ pageSize: 1 }),
        filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
      })
      .get(
        list({
          source: arraySource([
            { id: 1, kind: text },
            { id: 2, kind: text },
          ]),
          serializer: row,
          searchFields: ['kind'],
          orderingFields: ['id'],
          filterFields: ['kind', 'id'],
        }),
      ),
    api.endpoint('error', words).get(() => {
      throw new ValidationError({ [text]: [text] })
    }),
    api.endpoint('page', words).get(({ params }) => params),
    api.endpoint('page-more', words).get(({ params }) => params),
  ])
}

/** The pages of it, with the text in the address as well. */
export function hostilePaths(text: string): readonly string[] {
  const encoded = encodeURIComponent(text).replaceAll("'", '%27')
  return [
    `/data/?${encoded}=${encoded}`,
    `/list/?search=${encoded}&ordering=${encoded}&kind=${encoded}&${encoded}=1`,
    `/list/?page=2&_view=options&_theme=${encoded}`,
    `/list/?_view=${encoded}&format=api`,
    `/error/`,
    `/page/${encoded.replaceAll('%2F', '-')}`,
    `/page/${encoded.replaceAll('%2F', '-')}/more/`,
    `/nowhere/${encoded}`,
  ]
}

const ATTRIBUTE = String.raw` (?:accept|action|alt|aria-(?:current|describedby|disabled|invalid|label|labelledby|live)|autocomplete|autofocus|charset|checked|class|content|data-[a-z-]+|dir|disabled|enctype|for|height|hidden|href|id|inputmode|lang|list|max|maxlength|method|min|minlength|multiple|name|open|placeholder|readonly|rel|required|role|rows|scope|selected|spellcheck|src|step|tabindex|type|value)(?:="[^"<>]*")?`
const TAG = new RegExp(
  String.raw`^<(?:!doctype html|/?(?:a|b|body|button|code|datalist|dd|del|details|dialog|div|dl|dt|fieldset|form|h1|h2|h3|head|header|html|i|img|input|ins|label|legend|li|main|meta|nav|ol|optgroup|option|p|pre|s|section|select|small|span|summary|table|tbody|td|textarea|th|thead|title|tr|u|ul)(?:${ATTRIBUTE})*)>$`,
)

const SCRIPT = readFileSync('src/pages/templates/script.js', 'utf8')

/** Without the style sheet and the script of ours, which the policy admits by their hashes. */
export function withoutOwnCode(page: string): string {
  const styled = page.replace(/<style>[^<]*<\/style>/, '')
  return styled.replace(`<script type="module">${SCRIPT}</script>`, '')
}

/** What stands in a page that none of its templates has written; empty: nothing does. */
export function strangersIn(page: string): readonly string[] {
  const html = withoutOwnCode(page)
  const tags = html.match(/<[^>]*>?/g) ?? []
  const unknown = tags.filter((tag) => !TAG.test(tag))
  const links = [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, url = '']) => url)
  return [...unknown, ...links.filter((url) => !/^(?:\/(?![/\\])|#main$|https?:\/\/)/.test(url))]
}
