import type { Behaviour } from '../../core/ports/kernel.ts'
import type { ErrorFacts } from '../../core/types/documents.ts'

/** Codes by status: `{ 409: ['overlap'] }`. */
export type ErrorCodes = Readonly<Record<number, readonly string[]>>

/** A function that may throw errors of the application. */
export interface MayThrow {
  /** Codes of the errors that its functions throw, by status, for documents: `{ 409: ['overlap'] }`. @default none */
  readonly errors?: ErrorCodes | undefined
}

/** Adds these errors to documents; refuses to start if one of them is no error. */
export function withErrors<Rq, Answers>(
  behaviour: Behaviour<Rq, Answers>,
  errors: ErrorCodes | undefined,
): Behaviour<Rq, Answers> {
  if (errors === undefined) return behaviour
  const own = Object.entries(errors ?? {}).map(([code, codes]) => ({ status: Number(code), codes }))
  return {
    ...behaviour,
    operation(at) {
      const facts = behaviour.operation!(at)!
      return { ...facts, errors: [...(facts.errors ?? []), ...own] }
    },
    check: (settings, service) =>
      (errors === null ? NO_ERRORS : null) ??
      own.map(errorProblem).find(Boolean) ??
      behaviour.check?.(settings, service) ??
      null,
  }
}

const NO_ERRORS = '"errors" is null. Leave it out where there are none.'

function errorProblem({ status, codes }: ErrorFacts): string | null {
  const isError = Number.isInteger(status) && status >= 400 && status < 600
  const named = Array.isArray(codes) && codes.length > 0 && codes.every(isText)
  if (isError && named) return null
  return `"errors" must be lists of codes by status, such as { 409: ['overlap'] }, but has ${status}: ${JSON.stringify(codes)}.`
}

const isText = (code: unknown): boolean => typeof code === 'string' && code !== ''
