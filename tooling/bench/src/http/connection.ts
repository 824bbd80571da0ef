import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type HttpResponse, parseResponse } from './response.ts'

type Done = (outcome: HttpResponse | Error) => void

/**
 * A kept-alive connection that carries one exchange at a time. It does as little as possible for each,
 * since what the generator costs hides what the subject costs.
 */
export interface HttpConnection {
  exchange(request: string, done: Done): void
  close(): void
}

/** Connects to the host of `url`; rejects when nobody listens there. */
export async function openConnection(url: URL): Promise<HttpConnection> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  return createConnection(socket)
}

function createConnection(socket: Socket): HttpConnection {
  let pending: Done | undefined
  let held: Buffer | undefined

  function settle(outcome: HttpResponse | Error): void {
    const done = pending
    pending = undefined
    held = undefined
    done?.(outcome)
  }

  socket.on('data', (chunk: Buffer) => {
    held = held === undefined ? chunk : Buffer.concat([held, chunk])
    const response = parseResponse(held)
    if (response !== undefined) settle(response)
  })
  socket.on('error', settle)
  socket.on('close', () => settle(new Error('The server closed the connection.')))

  return {
    exchange(request, done) {
      pending = done
      socket.write(request)
    },
    close: () => void socket.destroy(),
  }
}
