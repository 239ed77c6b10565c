import { describe, expect, test } from 'vitest'
import {
  SECRET,
  LOCAL,
  ask,
  bytesOf,
  cursorOf,
  everywhere,
  refused,
  serveOn,
} from './cursor-service.ts'
import { doors } from './doors.ts'

const OTHERS = [
  'x',
  '%00',
  '%FF',
  '%F0%9F%98%80',
  'null',
  '0',
  '-1',
  '[]',
  'A'.repeat(22),
  'A'.repeat(6000),
]
/** What other services take for cursors (C11, C14, C16). */
const DRF = ['cD0z', 'cj0xJnA9MQ%3D%3D', 'bz0yJnA9MA==', 'enp6', '!!!!', 'cD1Ob25l']

describe.each(await everywhere())('$on, $through', (service) => {
  const { door, events } = service
  const bad = (path: string): Promise<void> => refused(service, path)

  describe('C13, C14 what comes in', () => {
    test.each(['/feed/?cursor=', '/feed/?cursor', '/feed/?cursor=x&cursor=', '/feed/?CURSOR=x'])(
      'C14, P11: %s is the first page',
      async (path) => expect((await ask(door, path)).results).toEqual([10, 9, 8]),
    )

    test.each([...OTHERS, ...DRF])('C13, I2: ?cursor=%s is none, and nothing is read', (cursor) =>
      bad(`/feed/?cursor=${cursor}`),
    )

    test('C13: the message can be another', async () => {
      const said = async (path: string): Promise<unknown> =>
        JSON.parse((await door.send({ method: 'GET', path })).text)
      expect(await said('/message/?cursor=x')).toEqual({ detail: 'Turn back.' })
      const detail = 'This cursor is not valid for this list.'
      expect(await said('/feed/?cursor=x')).toEqual({ detail })
    })

    test('I2: neither is one that was changed, cut, stretched or written otherwise', async () => {
      const cursor = cursorOf((await ask(door, '/feed/')).next)
      const bytes = bytesOf(cursor)
      const changed = [...bytes.keys()].map((at) =>
        Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))),
      )
      const others = [
        ...changed.map((each) => `v1.${each.toString('base64url')}`),
        cursor.slice(0, -1),
        cursor.slice(1),
        cursor.replace('v1.', ''),
        cursor.replace('v1.', 'v2.'),
        cursor.replace('v1.', 'V1.'),
        cursor + cursor,
        cursor.toLowerCase(),
        `${cursor}A`,
        `A${cursor}`,
        `${cursor}=`,
        `%20${cursor}`,
        `${cursor}%0A`,
        encodeURIComponent(`v1.${bytes.toString('base64').replace(/=*$/, '/')}`),
        `v1.${bytes.toString('hex')}`,
        encodeURIComponent(Buffer.from(cursor).toString('base64')),
      ]
      for (const other of others) await bad(`/feed/?cursor=${other}`)
    })

    test('I2: nor one of another list, or of another order', async () => {
      const feed = cursorOf((await ask(door, '/feed/')).next)
      for (const name of ['twin', 'ties', 'nulls', 'empty', 'filtered'])
        await bad(`/${name}/?cursor=${feed}`)
      const ties = cursorOf((await ask(door, '/ties/')).next)
      await bad(`/feed/?cursor=${ties}`)
    })

    test('I2: nor one of another service', async () => {
      const [other] = doors(serveOn(events, { SECRET_KEY: 'another secret' }))
      await bad(`/feed/?cursor=${cursorOf((await ask(other!, '/feed/')).next)}`)
    })

    test('I2: a secret that was replaced is good for as long as it is a fallback', async () => {
      const { next } = await ask(door, '/feed/')
      const renewed = { SECRET_KEY: 'a new secret', SECRET_KEY_FALLBACKS: [SECRET.SECRET_KEY] }
      const [later] = doors(serveOn(events, renewed))
      const page = await ask(later!, next!)
      expect(page.results).toEqual([7, 6, 5])
      // What it gives out is under the new one.
      await bad(page.next!)
      const [last] = doors(serveOn(events, { SECRET_KEY: 'a new secret' }))
      expect((await ask(last!, page.next!)).results).toEqual([4, 3, 2])
      expect((await last!.send({ method: 'GET', path: next!.replace(LOCAL, '') })).status).toBe(404)
    })
  })
})
