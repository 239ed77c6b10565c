import { Message } from '../messages/message.ts'
import type { Words } from '../messages/words.ts'
import { contentPolicy, styleHash } from '../std/http/content-security-policy.ts'
import { escapeHtml } from '../std/text/escape-html.ts'
import { htmlPage } from '../std/text/html-page.ts'

/** What the login page shows. */
export interface LoginForm {
  /** Address that the form is sent to. */
  readonly action: string
  readonly token: string
  /** Where to go afterwards; `''`: nowhere in particular. */
  readonly next: string
  /** What was typed, after it was refused. */
  readonly username: string
  readonly refused: boolean
}

/** The login page: a form for keyboards, screen readers and password managers alike, without script. */
export function loginForm(form: LoginForm, words: Words): string {
  const shown = (message: Message): string => escapeHtml(words.text(message))
  const heading = shown(LOG_IN)
  const title = words.text(form.refused ? Message.of('page.error', { title: LOG_IN }) : LOG_IN)
  const main = `<h1>${heading}</h1>
${form.refused ? refusal(shown(Message.of('authorization'))) : ''}<form method="post" action="${escapeHtml(form.action)}">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(form.token)}">
<input type="hidden" name="next" value="${escapeHtml(form.next)}">
<p><label for="username">${shown(Message.of('page.username'))}</label>
<input id="username" type="text" name="username" value="${escapeHtml(form.username)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="150" required${focus(!form.refused)}${invalid(form)}></p>
<p><label for="password">${shown(Message.of('page.password'))}</label>
<input id="password" type="password" name="password" autocomplete="current-password" required${focus(form.refused)}${invalid(form)}></p>
<p><button type="submit">${heading}</button></p>
</form>
`
  return htmlPage({ language: words.language, title, style: STYLE, main })
}

/**
 * The `Content-Security-Policy` of the page. Browsers hold the form to it also where its answer sends them
 * on: `redirect`, where people go from here, may be on another origin than `own`.
 */
export function loginPolicy(redirect: string, own: string): string {
  return contentPolicy({ loads: 'none', style: STYLE_HASH, formsTo: elsewhere(redirect, own) })
}

function elsewhere(address: string, own: string): string | null {
  const url = URL.parse(address, own)
  if (url === null || url.origin === new URL(own).origin) return null
  return url.origin === 'null' ? url.protocol : url.origin
}

/** One message, whatever was wrong (I5). */
const refusal = (text: string): string =>
  `<p id="refused" class="refused" role="alert">${text}</p>
`

const LOG_IN = Message.of('page.log_in')

const focus = (here: boolean): string => (here ? ' autofocus' : '')
const invalid = ({ refused }: LoginForm): string =>
  refused ? ' aria-invalid="true" aria-describedby="refused"' : ''

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 24rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
label { display: block; font-weight: bold }
input, button { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #767676; border-radius: .25rem }
input:focus-visible, button:focus-visible { outline: 3px solid #1a73e8; outline-offset: 1px }
.refused { padding: .5rem 1rem; border: 2px solid #c62828; border-radius: .25rem }
`
const STYLE_HASH = styleHash(STYLE)
