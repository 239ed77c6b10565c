const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const SPECIAL = /[&<>"']/

/** Text as it may stand between tags and inside quoted attributes. */
export function escapeHtml(text: string): string {
  return !SPECIAL.test(text)
    ? text
    : text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

const WIDE = /[\u{100}-\u{10ffff}]/u
const EACH_WIDE = new RegExp(WIDE, 'gu')

/**
 * The same HTML with references in place of what is wider than Latin-1, such as arrows and quotation marks. One such
 * character makes a whole page twice as long in memory, and several times as expensive to send.
 */
export function narrowHtml(html: string): string {
  if (!WIDE.test(html)) return html
  const narrow = html.replace(EACH_WIDE, (character) => `&#${character.codePointAt(0)};`)
  // What is replaced in a wide string stays a wide one, whatever is in it.
  return Buffer.from(narrow, 'latin1').toString('latin1')
}
