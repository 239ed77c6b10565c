import { escapeHtml } from './escape-html.ts'

/** A page of HTML. `style` and `main` are CSS and HTML as they stand; `main` ends with a line break. */
export interface HtmlPage {
  readonly language: string
  readonly title: string
  readonly style: string
  readonly main: string
}

/** Complete in itself, without script, and not for search engines. */
export function htmlPage({ language, title, style, main }: HtmlPage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${style}</style>
</head>
<body>
<main>
${main}</main>
</body>
</html>
`
}
