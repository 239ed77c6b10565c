import { Client } from 'pg'

/** An empty database for one file of tests, on the server of DATABASE_URL. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: copy .env.example to .env')
  const name = `test_${process.pid}_${Date.now()}`
  const url = new URL(DATABASE_URL)
  url.pathname = name
  await run(DATABASE_URL, `create database ${name}`)
  return { url: url.href, drop: () => run(DATABASE_URL, `drop database ${name}`) }
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect().catch((cause: unknown) => {
    throw new Error('DATABASE_URL cannot be reached: docker compose up --wait starts one', {
      cause,
    })
  })
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
