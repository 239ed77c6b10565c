import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { inTime } from '../../../src/core/std/deadlines.ts'

const late = (): Error => new Error('Too late.')

describe('in time', () => {
  test('is what comes, be it a value or a failure', async () => {
    expect(await inTime(Promise.resolve(1), 1000, late)).toBe(1)
    await expect(inTime(Promise.reject(new Error('No.')), 1000, late)).rejects.toThrow('No.')
    expect(await inTime(Promise.resolve(1), Infinity, late)).toBe(1)
  })

  test('what comes too late is a failure, and is thrown away', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const thrown: string[] = []
    await expect(inTime(promise, 5, late, (value) => thrown.push(value))).rejects.toThrow(
      'Too late.',
    )
    resolve('a connection')
    await promise
    expect(thrown).toEqual(['a connection'])
  })

  test('a failure that comes too late disturbs nobody', async () => {
    const { promise, reject } = Promise.withResolvers<string>()
    await expect(inTime(promise, 5, late)).rejects.toThrow('Too late.')
    reject(new Error('The connection was closed.'))
    await expect(promise).rejects.toThrow('closed')
  })

  test('what has arrived while this process stood still is not late', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    await once(client, 'connect')
    const answer = inTime(once(client, 'data'), 10, late)
    socket.write('here')
    const until = performance.now() + 60
    while (performance.now() < until);
    expect(String(await answer)).toBe('here')
    client.destroy()
    server.close()
  })
})
