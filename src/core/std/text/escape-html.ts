const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand between tags and inside quoted attributes. `'text'`: between tags only, where quotation marks stay. */
export function escapeHtml(text: string, place: 'anywhere' | 'text' = 'anywhere'): string {
  const special = place === 'text' ? /[&<>]/g : /[&<>"']/g
  return text.search(special) < 0 ? text : text.replace(special, (each) => ESCAPES[each]!)
}
