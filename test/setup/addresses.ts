import { inject } from 'vitest'

/** The address of a server of this run, which starts when the first test asks; fails if the server is missing. */
export async function addressesOf<Addresses>(server: string): Promise<Addresses> {
  const response = await fetch(`${inject('servers')}/${server}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`There is no ${server}: ${text}`)
  return JSON.parse(text)
}
