// A service in which everything that a page can show is hostile, and what such a page may consist of.
import { readFileSync } from 'node:fs'
import { actingAs } from '../../../src/browsable.ts'
import {
  type App,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  QueryParameterVersioning,
  SearchFilter,
  ValidationError,
  arraySource,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  reply,
  serializer,
} from '../../../src/index.ts'
import type { Authenticator } from '../../../src/types.ts'

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
  // Tags in odd spellings, and those that run by themselves.
  '<ScRiPt>hurt=1</sCrIpT>',
  '<script/x>hurt=1</script/x>',
  '<script\n>hurt=1</script\t>',
  '<scr<script>ipt>hurt=1</scr</script>ipt>',
  '<<script>script>hurt=1<</script>/script>',
  '<script src=data:text/javascript,hurt=1></script>',
  '<script src=//evil.example/x.js></script>',
  '<img src=x onerror=hurt=1//',
  '<img/src=`x`/onerror=hurt=1>',
  '<img src=https://evil.example/pixel.gif>',
  '<svg/onload=hurt=1>',
  '<svg><animate onbegin=hurt=1 attributeName=x dur=1s>',
  '<svg><script>hurt=1</script></svg>',
  '<svg><a xlink:href="javascript:hurt=1"><text>x</text></a></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=hurt=1>',
  '<body onload=hurt=1>',
  '<details open ontoggle=hurt=1>',
  '<video><source onerror=hurt=1></video>',
  '<audio src onerror=hurt=1>',
  '<input autofocus onfocus=hurt=1>',
  '<select autofocus onfocus=hurt=1>',
  '<marquee onstart=hurt=1>',
  '<object data="javascript:hurt=1">',
  '<embed src="javascript:hurt=1">',
  '<iframe src="javascript:parent.hurt=1">',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<template><script>hurt=1</script></template>',
  '<noscript><p title="</noscript><script>hurt=1</script>">',
  '<xmp><script>hurt=1</script></xmp>',
  // Ends of the places that texts stand in.
  '</textarea><script>hurt=1</script>',
  '</select></option><script>hurt=1</script>',
  '</fieldset></form></details><script>hurt=1</script>',
  '</template></noscript></iframe></noembed><script>hurt=1</script>',
  '--><script>hurt=1</script><!--',
  '--!><img src=x onerror=hurt=1>',
  '" onpointerenter=hurt=1 x="',
  '" style="background:url(https://evil.example/x)" x="',
  '" formaction="javascript:hurt=1" x="',
  '" href="javascript:hurt=1" x="',
  "\\'; hurt=1; //",
  '\\"; hurt=1; //',
  // Addresses, entities, control characters and templates.
  ' javascript:hurt=1',
  'java\tscript:hurt=1',
  'JaVaScRiPt:hurt=1//https://x.example/',
  'vbscript:hurt=1',
  'https://x.example/\u0022onclick=hurt=1',
  'https://x.example/&quot;onclick=hurt=1',
  '&#x3c;img src=x onerror=hurt=1&#x3e;',
  '&amp;lt;script&amp;gt;hurt=1',
  '\u00bcscript\u00behurt=1\u00bc/script\u00be',
  '\uff1cscript\uff1ehurt=1\uff1c/script\uff1e',
  '\u0008\u001b[31m<script>hurt=1</script>',
  '<%~ include("@page", it) %><%= constructor.constructor("hurt=1")() %>',
  '#{hurt=1}{%hurt=1%}[[${hurt=1}]]',
  '__proto__',
]

/** Headers can hold no other characters. */
const inHeader = (text: string): string => text.replaceAll(/[^\t\x20-\x7e]/g, '')

/** A user of this name, who has logged in with a browser, and acts as another of this name at `/acted/`. */
function schemeOf(text: string): Authenticator {
  const user = { username: text }
  return {
    authenticate: ({ path }) => {
      const acting = actingAs({ name: text, user, auth: null, permits: () => true })
      return { user, auth: null, acting: path === '/acted/' ? acting : null }
    },
    browser: {
      loginUrl: '/login/',
      field: 'csrf',
      header: 'X-CSRF',
      actAs: { permits: () => true },
      issue: () => ({ token: 'token', cookies: [] }),
    },
  }
}

export function hostileService(text: string): App {
  const urls = defineUrls({
    acted: '/acted/',
    form: '/form/',
    versions: '/versions/',
    data: '/data/',
    list: '/list/',
    error: '/error/',
    page: '/page/:name',
    'page-more': '/page/:name/more/',
  })
  const api = defineApi({
    urls,
    authentication: [schemeOf(text)],
    browsable: { title: text },
    logger: { error() {}, info() {} },
  })
  const choices = { [text]: text, plain: text }
  // Names of parameters and fields are no free text, but nearly.
  const name = text.replaceAll(/\s|^__proto__$/g, '_')
  const said = { label: text, helpText: text, required: false }
  const written = serializer({
    [name]: field.text({ ...said, source: 'value', maxLength: 5 }),
    choice: field.choice({ groups: { [text]: { [text]: text } } }, said),
    tags: field.list(field.choice(choices), said),
    file: field.file({ required: false, label: text, helpText: text }),
    count: field.integer(said),
    body: field.text({ ...said, maxLength: 5000, validators: [refuse(text)] }),
  })
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
          orderingFields: ['id', { name, column: 'kind' }],
          filterFields: ['kind', 'id', { name, column: 'kind' }],
        }),
      ),
    api.endpoint('error', words).get(() => {
      throw new ValidationError({ [text]: [text] })
    }),
    api.endpoint('acted', words).get(() => ({ [text]: text })),
    api
      .endpoint('form', words)
      .get(() =>
        reply(
          { file: `/files/${text}`, [text]: [{ [text]: text }], url: `https://x.example/${text}` },
          { headers: { 'X-Hostile': inHeader(text) } },
        ),
      )
      .post(create({ serializer: written, save: (input) => input as never }))
      .put(create({ serializer: written, save: (input) => input as never })),
    api
      .endpoint('versions', {
        ...words,
        versioning: new QueryParameterVersioning(),
        allowedVersions: [text, 'v2'],
        defaultVersion: 'v2',
      })
      .get(({ version }) => ({ version })),
    api.endpoint('page', words).get(({ params }) => params),
    api.endpoint('page-more', words).get(({ params }) => params),
  ])
}

/** Says the text of every value. */
const refuse = (text: string) => (value: unknown) => {
  throw new ValidationError(`${text} ${String(value)}`)
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
    '/acted/',
    '/form/',
    '/form/?_view=options',
    '/versions/?_view=compare-' + encoded,
  ]
}

const ATTRIBUTE = String.raw` (?:accept|action|alt|aria-(?:current|describedby|disabled|invalid|label|labelledby|live)|autocomplete|autofocus|charset|checked|class|content|data-[a-z-]+|dir|disabled|enctype|for|height|hidden|href|id|inputmode|label|lang|list|max|maxlength|method|min|minlength|multiple|name|novalidate|open|placeholder|readonly|rel|required|role|rows|scope|selected|spellcheck|src|step|tabindex|type|value)(?:="[^"<>]*")?`
const TAG = new RegExp(
  String.raw`^<(?:!doctype html|/?(?:a|b|body|button|code|datalist|dd|del|details|dialog|div|dl|dt|fieldset|form|h1|h2|h3|head|header|html|i|img|input|ins|label|legend|li|main|meta|nav|ol|optgroup|option|p|pre|s|section|select|small|span|summary|table|tbody|td|textarea|th|thead|title|tr|u|ul)(?:${ATTRIBUTE})*)>$`,
)

const SCRIPT = readFileSync('src/addons/pages/templates/script.js', 'utf8')

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
  return [
    ...unknown,
    ...links.filter((url) => !/^(?:\/(?![/\\])|#(?:main|write-[a-z]+)$|\?|https?:\/\/)/.test(url)),
  ]
}
