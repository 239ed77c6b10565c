const BYTES = 32
const DIFFERENT = 7

/** Makes a secret that is good enough, for messages. */
export const HOW_TO_MAKE_ONE = 'Make one with `npx colophon secret`.'

/**
 * Why a text is no secret to rely on, as the rest of a sentence; `null`: it looks like chance. Whoever
 * holds something sealed, such as a cursor, tries secrets as fast as a machine can. Says nothing of the
 * text itself.
 */
export function secretProblem(secret: string): string | null {
  const bytes = Buffer.byteLength(secret)
  if (bytes < BYTES) return `has ${bytes} of the ${BYTES} bytes that it needs`
  if (PLACEHOLDER.test(secret)) return 'holds the words of a placeholder'
  if (new Set(secret).size < DIFFERENT) return `has fewer than ${DIFFERENT} different characters`
  if (repeats(secret)) return 'is one text again and again'
  return counts(secret) ? 'mostly repeats characters, or counts' : null
}

const PLACEHOLDER =
  /change.?me|replace.?(?:me|this)|your.?secret|secret.?key|password|placeholder|example|insecure|random.?text/i

/** Is it a shorter text, at least twice, perhaps cut off at the end? */
function repeats(secret: string): boolean {
  const second = secret.indexOf(secret.slice(0, Math.ceil(secret.length / 2)), 1)
  return second > 0 && secret.startsWith(secret.slice(second))
}

/** Are more than half of the characters the same as the one before, or its neighbours: `1234`, `dcba`, `aaaa`? */
function counts(secret: string): boolean {
  let followers = 0
  for (let at = 1; at < secret.length; at += 1) {
    if (Math.abs(secret.charCodeAt(at) - secret.charCodeAt(at - 1)) <= 1) followers += 1
  }
  return followers * 2 > secret.length
}
