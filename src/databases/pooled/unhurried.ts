import type { ConnectionPool } from './connection-pool.ts'

/** The same connections without limits of time: a change of tables takes what it takes. */
export function unhurried(pool: ConnectionPool): ConnectionPool {
  return {
    patience: Infinity,
    async connect(use) {
      const connection = await pool.connect(use)
      try {
        await connection.unhurry()
        return connection
      } catch (error) {
        connection.release(true)
        throw error
      }
    },
    close: () => pool.close(),
  }
}
