// `npm run pictures`: takes the pictures of docs/pictures again, from a library that it starts, and writes the page that shows
// them. With names of kinds it takes only those. PICTURES=folder puts PNGs there instead, with WIDTHS=320,2560, DIRECTION=rtl,
// MEDIA=print and FULL=1 (the whole of a long page) if they are set.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { serve } from 'colophon/node'
import { root } from '../run.ts'
import { startChromium } from '../servers/chromium.ts'
import { KINDS, visit } from './kinds.ts'
import { library } from './library.ts'
import { openPeople } from './people.ts'

const MOST_BYTES = 60_000

const { PICTURES: drafts, WIDTHS = '375,1440', DIRECTION, MEDIA, FULL } = process.env
const folder = drafts ?? join(root, 'docs/pictures')
const asked = process.argv.slice(2)

const people = await openPeople()
const browser = await startChromium()
mkdirSync(folder, { recursive: true })
try {
  for (const name of asked.length === 0 ? Object.keys(KINDS) : asked)
    for (const width of WIDTHS.split(',').map(Number))
      for (const scheme of ['light', 'dark'] as const) await take(name, width, scheme)
  if (drafts === undefined) writeFileSync(join(folder, 'index.md'), gallery())
} finally {
  await browser.close()
  await people.close()
}

/** Takes a picture from a fresh library, at an address that pictures can show. */
async function take(name: string, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const server = await serve(library(people.accounts), { port: 8000 })
  const viewport = { width, height: width < 500 ? 812 : 900 }
  const context = await browser.newContext({
    baseURL: server.url,
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await visit(page, KINDS[name]!)
  if (DIRECTION !== undefined) await page.evaluate(`document.documentElement.dir='${DIRECTION}'`)
  if (MEDIA === 'print') await page.emulateMedia({ media: MEDIA })
  const png = await page.screenshot({ fullPage: FULL !== undefined })
  const file = join(folder, `page-${name}-${colorScheme}-${width}`)
  if (drafts === undefined) writeFileSync(`${file}.webp`, await small(browser, png))
  else writeFileSync(`${file}.png`, png)
  await context.close()
  await server.close()
}

/** The page with all pictures, for readers of the documentation. */
function gallery(): string {
  const image = (name: string, scheme: string, width: number): string =>
    `<img src="page-${name}-${scheme}-${width}.webp" width="${width / 4}" alt="${KINDS[name]!.title}: ${scheme}, ${width} px wide">`
  const pictures = (name: string): string =>
    ['light', 'dark']
      .flatMap((scheme) => [1440, 375].map((width) => image(name, scheme, width)))
      .join('\n')
  const parts = Object.keys(KINDS).map((name) => `## ${KINDS[name]!.title}\n\n${pictures(name)}\n`)
  const start =
    '# Every kind of page\n\nIn light and dark, on a desk and in a hand, as `npm run pictures` takes them. What they are: [Browsable API](../browsable-api.md).\n'
  return [start, ...parts].join('\n')
}

/** Converts a picture to WebP, which browsers can write, in the best quality that is small enough. */
async function small(by: Browser, png: Buffer): Promise<Buffer> {
  const page = await by.newPage()
  for (let quality = 0.9; quality > 0; quality -= 0.1) {
    const bytes = await asWebp(page, png, quality)
    if (bytes.length > MOST_BYTES) continue
    await page.close()
    return bytes
  }
  throw new RangeError('A picture cannot be made small enough.')
}

async function asWebp(page: Page, png: Buffer, quality: number): Promise<Buffer> {
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${quality})
  })()`)
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
