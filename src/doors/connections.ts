import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Connection } from './connection.ts'

/** All connections of a server. */
export class Connections {
  readonly #bySocket = new Map<Socket, Connection>()

  /** Gives `answer` the requests of the server: of each connection one at a time. */
  constructor(
    server: Server,
    answer: (incoming: IncomingMessage, response: ServerResponse) => void,
  ) {
    server.on('connection', (socket: Socket) => {
      this.#bySocket.set(socket, new Connection(socket, answer))
      socket.once('close', () => this.#bySocket.delete(socket))
    })
    server.on('request', (incoming, response) => {
      this.#bySocket.get(incoming.socket)?.take(incoming, response)
    })
  }

  /** Whether a connection has asked for more than it is being answered. */
  hasMore(socket: Socket): boolean {
    return this.#bySocket.get(socket)?.hasMore ?? false
  }

  /** Ends every connection after what it has asked. */
  drain(): void {
    for (const connection of this.#bySocket.values()) connection.drain()
  }
}
