import { inject } from 'vitest'

/** Where a server of this run is, which is started when the first test asks; fails where there is none. */
export async function addressesOf<Addresses>(server: string): Promise<Addresses> {
  const response = await fetch(`${inject('servers')}/${server}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`There is no ${server}: ${text}`)
  return JSON.parse(text)
}
