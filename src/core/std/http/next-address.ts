/** Characters of an address that browsers, proxies and logs all accept. */
const LONGEST = 2000

/** Browsers read a backslash as a slash and skip control characters: no address of a service has either. */
const ODD = /[\p{Cc}\\]/u

/**
 * The address after logging in: `next` as a path of this service; `null`: it leads elsewhere. A page that sends visitors to any
 * linked address would lend its good name to strangers.
 */
export function nextAddress(next: string, origin: string): string | null {
  if (next.length > LONGEST || ODD.test(next) || !/^(?:\/|https?:\/\/)/i.test(next)) return null
  const url = URL.parse(next, origin)
  if (url === null || url.origin !== new URL(origin).origin) return null
  const path = url.pathname + url.search + url.hash
  // Two slashes name a host, even if they only appear after `.` and `..` are resolved.
  return path.startsWith('//') ? null : path
}
