/** What is done with more in the environment of this process. All tests of a thread share it, so it is taken out again. */
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

/** The names of what this run of the tests does not have (scripts/needs.ts). */
export function lacking(): readonly string[] {
  return (process.env['TESTS_WITHOUT'] ?? '').split(',').filter((name) => name !== '')
}
