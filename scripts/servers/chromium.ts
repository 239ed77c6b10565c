import type { Browser } from 'playwright-core'
import { type Program, pathOf } from './programs.ts'

/** Without its own interface, which costs as much again for each visitor as the pages do. */
export const CHROMIUM: Program = {
  name: 'chromium-headless-shell',
  packages: ['chromium-headless-shell'],
}

/**
 * Pages of tests live for a second: scripts that are optimized cost more than they save, and so does a process for each
 * visitor. Those of different sites stay apart.
 */
const HURRIED = ['--js-flags=--no-opt', '--renderer-process-limit=1']

/**
 * Starts Debian's Chromium without a window. Each `browser.newPage()` is a visitor of its own, without cookies.
 * `*.localhost` are names of this machine to it, each a site of its own.
 *
 * @example
 * const browser = await startChromium()
 * const page = await browser.newPage()
 * await page.goto('http://localhost:8000/')
 * await browser.close()
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = await pathOf(CHROMIUM)
  // Only who starts a browser waits for its driver to be loaded.
  const { chromium } = await import('playwright-core')
  // Its sandbox needs namespaces that containers do not give to root; it visits pages of the tests only.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: HURRIED })
  // Who waits in vain is ended by whoever started it: on a busy machine, half a minute is not too long.
  browser.on('context', (context) => context.setDefaultTimeout(0))
  return browser
}
