import type { Browser } from 'playwright-core'
import { type Program, pathOf } from './programs.ts'

/** The browser without its own interface, which would cost as much for each visitor as the pages do. */
export const CHROMIUM: Program = {
  name: 'chromium-headless-shell',
  packages: ['chromium-headless-shell'],
}

/**
 * Pages of tests live for a second, so optimizing scripts costs more than it saves, and so does a process for each visitor.
 * Different sites still have different processes.
 */
const HURRIED = ['--js-flags=--no-opt', '--renderer-process-limit=1']

/**
 * Starts Debian's Chromium without a window. Each `browser.newPage()` is a new visitor without cookies. It resolves
 * `*.localhost` to this machine, each name as a site of its own.
 *
 * @example
 * const browser = await startChromium()
 * const page = await browser.newPage()
 * await page.goto('http://localhost:8000/')
 * await browser.close()
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = await pathOf(CHROMIUM)
  // Loading the driver takes time, so only a start of the browser does it.
  const { chromium } = await import('playwright-core')
  // The sandbox needs namespaces, which containers deny to root. The browser visits only pages of the tests.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: HURRIED })
  // The test's own time-out ends waiting in vain: on a busy machine, half a minute may be needed.
  browser.on('context', (context) => context.setDefaultTimeout(0))
  return browser
}
