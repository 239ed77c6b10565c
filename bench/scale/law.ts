/** The requests a second of so many processes or machines. */
export interface Point {
  readonly n: number
  readonly rps: number
}

/** The Universal Scalability Law of measurements: X(N) = λN / (1 + σ(N−1) + κN(N−1)). */
export interface Law {
  /** The requests a second of one machine. */
  readonly lambda: number
  /** The share of work that only one can do at a time. */
  readonly sigma: number
  /** The cost that each causes each other one. */
  readonly kappa: number
  at(n: number): number
}

/**
 * Fits the law by least squares to N/X, which is linear in 1/λ, σ/λ and κ/λ (Gunther, A General Theory of Computational
 * Scalability, 2008). A term that would be negative is left out. Two numbers of machines allow no κ (Amdahl's law).
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

/** The relative distance of a law from measurements: the maximum, and the mean. */
export function errorOf(at: Law['at'], points: readonly Point[]): { most: number; mean: number } {
  const errors = points.map(({ n, rps }) => Math.abs(at(n) - rps) / rps)
  return {
    most: Math.max(...errors),
    mean: errors.reduce((sum, each) => sum + each) / errors.length,
  }
}

/** Solves the normal equations, which are accurate enough for three unknowns. */
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
