#!/usr/bin/env node
// `npm create colophon` runs `colophon init`, which has the templates, and tells the required version of Node. This file is
// JavaScript that an older Node can read, too.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const kept = ['template', 'database'].find((name) => `npm_config_${name}` in process.env)
if (kept !== undefined) {
  console.error(
    `create-colophon: npm took --${kept} for an option of its own. Write -- before it: npm create colophon@latest notes -- --${kept} …`,
  )
  process.exitCode = 1
} else {
  process.argv.splice(2, 0, 'init')
  const colophon = pathToFileURL(createRequire(import.meta.url).resolve('colophon'))
  await import(new URL('./tools/cli/main.js', colophon).href)
}
