// What every peer is told: how many requests in how many seconds, and the Redis to count in, if any.
const [limit, seconds, url = ''] = process.argv.slice(2)

export const rate = { limit: Number(limit), seconds: Number(seconds) }

export async function redis() {
  if (url === '') return null
  const { Redis } = await import('ioredis')
  return new Redis(url)
}

/** Tells the parent the port, and, when asked, the CPU time. */
export function tellParent(port) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system })
  })
  process.send({ port })
}
