// What a client on SQLite is asked at the start.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { isOpenHere } from '../sqlite/open-files.ts'
import { unlessAway } from './failures.ts'
import type { PrismaModel } from './model.ts'
import type { KnownClient } from './types.ts'

/** @throws ConfigurationError it shares its file with Colophon, or cannot read what clients may write */
export async function checkSqlite(model: PrismaModel, client: KnownClient): Promise<void> {
  if (model.provider !== 'sqlite') return
  const files = await unlessAway(client.$queryRawUnsafe('pragma database_list'))
  const shared = files.find(({ file }) => isOpenHere(String(file)))
  if (shared !== undefined)
    throw new ConfigurationError(
      `prismaTable(): Prisma and Colophon both open ${String(shared['file'])}, each with a library of SQLite that does not see the locks of the other: rows get lost. Give Colophon another file, by DATABASE_URL or openSqlite().`,
    )
  const large = [...model.fields.values()].find(({ type }) => type === 'BigInt')
  if (large === undefined || (await readsLarge(client))) return
  throw new ConfigurationError(
    `prismaTable(): the adapter reads no number beyond 2 ** 53, which "${large.name}" of the model "${model.name}" may be. Give it intMode: new PrismaLibSql({ url, timeout: 5000, intMode: 'bigint' }).`,
  )
}

async function readsLarge(client: KnownClient): Promise<boolean> {
  const large = 2n ** 53n + 1n
  try {
    const [row] = await unlessAway(client.$queryRawUnsafe(`select ${large} as one`))
    return row?.['one'] === large
  } catch (error) {
    if (/safely represented/.test(String(error))) return false
    throw error
  }
}
