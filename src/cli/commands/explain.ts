import type { App, DescribedEndpoint } from '../../api/app.ts'
import { nearest } from '../../std/text/nearest.ts'
import { describe } from '../../settings/fold.ts'
import { KEYS, SETTING_NAMES } from '../../settings/keys.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'
import { columns } from './routes.ts'

/** `colophon explain <endpoint>`: every setting with its value and the layer that said it. */
export function explain(app: App, name: string, { print }: Terminal): void {
  const endpoint = find(app, name)
  print(`${endpoint.name}  ${endpoint.path}  ${endpoint.methods.join(' ')}`)
  const rows = SETTING_NAMES.map((setting) => [
    setting,
    KEYS[setting].key,
    describe(endpoint.settings[setting]),
    `from ${endpoint.provenance[setting]}`,
  ])
  for (const line of columns([['SETTING', 'KEY', 'VALUE', 'LAYER'], ...rows])) print(line)
}

function find(app: App, name: string): DescribedEndpoint {
  const endpoints = app.describe()
  const found = endpoints.find((endpoint) => endpoint.name === name)
  if (found !== undefined) return found
  const near = nearest(
    name,
    endpoints.map((endpoint) => endpoint.name),
  )
  throw new CommandFailed(
    `There is no endpoint "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
  )
}
