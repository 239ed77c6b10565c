import type { StandardIssue, StandardSchema } from '../../../src/types.ts'

/** A small validator as other libraries have them: it strips members that it does not know. */
export type Shape = Readonly<Record<string, StandardSchema>>
type InputOfShape<S extends Shape> = {
  [K in keyof S]: S[K] extends StandardSchema<infer I, unknown> ? I : never
}
type OutputOfShape<S extends Shape> = {
  [K in keyof S]: S[K] extends StandardSchema<unknown, infer O> ? O : never
}

type Checked<T> = ReturnType<StandardSchema<unknown, T>['~standard']['validate']>

function made<I, O>(validate: (value: unknown) => Checked<O>): StandardSchema<I, O> {
  return { '~standard': { version: 1, vendor: 'hand', validate } }
}

export const text: StandardSchema<string, string> = made((value) =>
  typeof value === 'string' ? { value } : wrong(`Not a text: ${JSON.stringify(value)}`),
)

/** A text of digits becomes a number. */
export const count: StandardSchema<string | number, number> = made((value) => {
  const number = Number(value)
  return Number.isInteger(number) ? { value: number } : wrong('Not a count.')
})

function wrong(message: string): { readonly issues: readonly StandardIssue[] } {
  return { issues: [{ message }] }
}

/** Each issue one step further out; every other library writes steps as objects. */
function inside(issues: readonly StandardIssue[], key: string | number): StandardIssue[] {
  return issues.map(({ message, path = [] }) => ({ message, path: [{ key }, ...path] }))
}

export function listOf<I, O>(item: StandardSchema<I, O>): StandardSchema<I[], O[]> {
  return made((value) => {
    if (!Array.isArray(value)) return wrong('Not a list.')
    const results = value.map((each) => item['~standard'].validate(each) as Awaited<Checked<O>>)
    const issues = results.flatMap((result, at) => inside(result.issues ?? [], at))
    return issues.length > 0
      ? { issues }
      : { value: results.map((result) => (result as { value: O }).value) }
  })
}

export function object<S extends Shape>(
  shape: S,
  { partial = false, rule = (): string | null => null } = {},
): StandardSchema<InputOfShape<S>, OutputOfShape<S>> {
  return made((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong('Not an object.')
    const given = value as Record<string, unknown>
    const names = Object.keys(shape).filter((name) => !partial || name in given)
    const results = names.map(
      (name) => shape[name]!['~standard'].validate(given[name]) as Awaited<Checked<unknown>>,
    )
    const issues = results.flatMap((result, at) => inside(result.issues ?? [], names[at]!))
    const complaint = rule()
    if (complaint !== null) issues.push({ message: complaint })
    if (issues.length > 0) return { issues }
    const read = results.map((result, at) => [names[at], (result as { value: unknown }).value])
    return { value: Object.fromEntries(read) as OutputOfShape<S> }
  })
}

/** The same, and it waits before it answers. */
export function waiting<I, O>(schema: StandardSchema<I, O>): StandardSchema<I, O> {
  return made(async (value) => {
    await Promise.resolve()
    return schema['~standard'].validate(value)
  })
}
