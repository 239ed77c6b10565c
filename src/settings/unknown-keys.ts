import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/did-you-mean.ts'
import { KEYS, SETTING_NAMES } from './keys.ts'
import { SERVICE_KEYS } from './service.ts'

const KNOWN: readonly string[] = [KEYS, SERVICE_KEYS].flatMap((table) =>
  Object.values(table).map(({ key }) => key),
)

/**
 * A key of a configuration, if there is one of this name.
 *
 * @throws ConfigurationError it names the nearest right key
 */
export function knownKey(key: string, shown: string = key): string {
  if (KNOWN.includes(key)) return key
  const hint = didYouMean(key, KNOWN, (near) => near)
  throw new ConfigurationError(`There is no configuration key ${shown}.${hint}`)
}

/**
 * The same for the settings of a layer in code.
 *
 * @throws ConfigurationError it names the nearest right setting
 */
export function refuseUnknownSettings(layer: string, values: object): void {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(KEYS, name))
  if (unknown === undefined) return
  const hint = didYouMean(unknown, SETTING_NAMES)
  throw new ConfigurationError(`${layer}: there is no setting "${unknown}".${hint}`)
}
