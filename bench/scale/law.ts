/** Requests a second of so many processes or machines. */
export interface Point {
  readonly n: number
  readonly rps: number
}

/** The Universal Scalability Law of some measurements: X(N) = λN / (1 + σ(N−1) + κN(N−1)). */
export interface Law {
  /** Requests a second of one. */
  readonly lambda: number
  /** The part that is done by one at a time. */
  readonly sigma: number
  /** What each costs each other one. */
  readonly kappa: number
  at(n: number): number
}

/**
 * Fitted by least squares to N/X, which is linear in 1/λ, σ/λ and κ/λ (Gunther, A General Theory of Computational Scalability,
 * 2008). None is negative: a term that would be is left out. Two numbers of machines allow no κ (Amdahl's law).
 */
export function lawOf(points: readonly Point[]): Law {
  const counts = new Set(points.map(({ n }) => n)).size
  const terms = [
    [0],
    [0, 1],
    ...(counts > 2
      ? [
          [0, 2],
          [0, 1, 2],
        ]
      : []),
  ]
  const laws = terms.flatMap((which) => {
    const row = (n: number): number[] => which.map((term) => [1, n - 1, n * (n - 1)][term]!)
    const rows = points.map(({ n }) => row(n))
    const found = leastSquares(
      rows,
      points.map(({ n, rps }) => n / rps),
    )
    if (found.some((value) => value < 0)) return []
    const [a, b, c] = [0, 1, 2].map((term) => found[which.indexOf(term)] ?? 0) as [
      number,
      number,
      number,
    ]
    return [
      {
        lambda: 1 / a,
        sigma: b / a,
        kappa: c / a,
        at: (n: number) => n / (a + b * (n - 1) + c * n * (n - 1)),
      },
    ]
  })
  const squares = ({ at }: Law): number =>
    points.reduce((sum, { n, rps }) => sum + (n / rps - n / at(n)) ** 2, 0)
  return laws.toSorted((one, other) => squares(one) - squares(other))[0]!
}

/** How far a law is from measurements, as a part of them: at most, and in the mean. */
export function errorOf(at: Law['at'], points: readonly Point[]): { most: number; mean: number } {
  const errors = points.map(({ n, rps }) => Math.abs(at(n) - rps) / rps)
  return {
    most: Math.max(...errors),
    mean: errors.reduce((sum, each) => sum + each) / errors.length,
  }
}

/** By the normal equations, which three unknowns do not strain. */
function leastSquares(
  rows: readonly (readonly number[])[],
  ys: readonly number[],
): readonly number[] {
  const size = rows[0]!.length
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (__, j) =>
      rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0),
    ),
    rows.reduce((sum, row, at) => sum + row[i]! * ys[at]!, 0),
  ])
  for (let i = 0; i < size; i++) {
    const pivot = matrix[i]![i]!
    matrix[i] = matrix[i]!.map((value) => value / pivot)
    for (let j = 0; j < size; j++) {
      const factor = matrix[j]![i]!
      if (j !== i) matrix[j] = matrix[j]!.map((value, at) => value - factor * matrix[i]![at]!)
    }
  }
  return matrix.map((row) => row[size]!)
}
