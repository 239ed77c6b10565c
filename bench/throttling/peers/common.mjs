// The arguments of every peer: the number of requests, the seconds, and perhaps a Redis for counting.
const [limit, seconds, url = ''] = process.argv.slice(2)

export const rate = { limit: Number(limit), seconds: Number(seconds) }

export async function redis() {
  if (url === '') return null
  const { Redis } = await import('ioredis')
  return new Redis(url)
}

/** Reports the port, and on demand the CPU time, to the parent. */
export function tellParent(port) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system })
  })
  process.send({ port })
}
