import { hostileBody } from './body.ts'
import type { Dice } from './dice.ts'
import { type Known, hostileHeaders } from './headers.ts'
import { hostileTarget } from './target.ts'

/** The parts of requests. */
export interface HostileWorld extends Known {
  /** Addresses of the service; `<name>` stands for a parameter. */
  readonly paths: readonly string[]
}

/** Makes a random request as bytes in Latin-1, each of whose parts may be odd. */
export function hostileRequest(dice: Dice, world: HostileWorld): string {
  const method = dice.pick(dice.once(12) ? ODD_METHODS : METHODS)
  const target = hostileTarget(dice, world.paths)
  return `${method} ${target} HTTP/1.1\r\n${hostileHeaders(dice, world)}${hostileBody(dice)}`
}

const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const ODD_METHODS = ['TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'PURGE', 'LINK', 'MKCOL']

/** Makes a request after which the server closes the connection, because it cannot find the beginning of the next one. */
export function misframedRequest(dice: Dice, world: HostileWorld): string {
  const request = hostileRequest(dice, world)
  const at = dice.below(request.length)
  const line = dice.pick(LINES)
  return dice.pick([
    request.slice(0, at),
    request.slice(0, at) + dice.bytes(20) + request.slice(at),
    `${dice.bytes(50)}\r\n\r\n`,
    request.replace('\r\n', '\n'),
    request.replace('HTTP/1.1', dice.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'XTTP/1.1'])),
    request.replace(/^\S+/, dice.pick(['get', 'BREW', 'CONNECT', 'GE T', '', dice.visible(5)])),
    request.replace(/ \S+/, dice.pick([' ', ' x', ' ?', ' #', ` /${dice.bytes(5)}`])),
    request.replace('\r\n', `\r\n${line}\r\n`),
  ])
}

const LINES = [
  'Connection: close',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: x\r\nContent-Length: 5',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  ' folded: x',
  'no colon',
  ': no name',
  'na me: x',
]
