// A rank test of paired samples, the distance of quantiles, and the power of the test.

export type Pair = readonly [known: number, unknown: number]

/** A difference counts as real if chance makes it in less than one of a hundred runs. */
export const SEEN = 0.01
const RESAMPLES = 400

/** Wilcoxon's signed-rank test, with the normal distribution instead of the exact one; this is accurate for hundreds. */
export function signedRank(pairs: readonly Pair[]): {
  readonly p: number
  readonly median: number
} {
  const differences = pairs.map(([known, unknown]) => known - unknown)
  const ranked = differences.filter(Boolean).toSorted((a, b) => Math.abs(a) - Math.abs(b))
  const count = ranked.length
  // Ties hardly occur, because times have many digits.
  const above = ranked.reduce((sum, each, at) => (each > 0 ? sum + at + 1 : sum), 0)
  const mean = (count * (count + 1)) / 4
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24)
  return { p: twoSided((above - mean) / deviation), median: quantile(differences, 0.5) }
}

/** The interval of a quantile's difference in 95 of 100 samples of these pairs. */
export function spreadOf(pairs: readonly Pair[], part: number): readonly [number, number] {
  const all = Array.from({ length: RESAMPLES }, () => {
    const sample = resampled(pairs)
    return (
      quantile(
        sample.map(([known]) => known),
        part,
      ) -
      quantile(
        sample.map(([, unknown]) => unknown),
        part,
      )
    )
  })
  return [quantile(all, 0.025), quantile(all, 0.975)]
}

/** The share of samples in which the test detects a delay of so many microseconds. Chance decides which address is known. */
export function powerOf(pairs: readonly Pair[], delay: number): number {
  let seen = 0
  for (let times = 0; times < RESAMPLES / 2; times++) {
    const sample = resampled(pairs).map(([one, other]): Pair => {
      return Math.random() < 0.5 ? [one + delay, other] : [other + delay, one]
    })
    const { p, median } = signedRank(sample)
    if (p < SEEN && median > 0) seen += 1
  }
  return seen / (RESAMPLES / 2)
}

export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]!
}

function resampled(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.map(() => pairs[Math.floor(Math.random() * pairs.length)]!)
}

/** The two-sided probability of a normal distribution: Abramowitz and Stegun 7.1.26. */
function twoSided(deviations: number): number {
  const x = Math.abs(deviations) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const terms = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
  const sum = terms.reduceRight((rest, each) => (rest + each) * t, 0)
  return sum * Math.exp(-x * x)
}
