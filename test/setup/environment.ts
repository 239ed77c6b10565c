/** Runs work with more variables in the environment, which all tests of a thread share, and removes them afterwards. */
export async function withEnvironment<T>(
  env: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

/** The names of missing needs in this run (scripts/needs.ts). */
export function lacking(): readonly string[] {
  return (process.env['TESTS_WITHOUT'] ?? '').split(',').filter((name) => name !== '')
}
