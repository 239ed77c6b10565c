/** A22: no user at all is treated like an anonymous one. */
export function isAuthenticated(user: unknown): boolean {
  return has(user, 'isAuthenticated')
}

export function isStaff(user: unknown): boolean {
  return has(user, 'isStaff')
}

function has(user: unknown, fact: string): boolean {
  return (
    typeof user === 'object' && user !== null && (user as Record<string, unknown>)[fact] === true
  )
}
