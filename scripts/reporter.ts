import type { Reporter, TestModule } from 'vitest/node'
import { summary } from './run.ts'

/** Ends a run with `N passed, N failed`: broken files, hooks and unhandled errors are failures too. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const count = (state: string): number => states.filter((each) => each === state).length
    const failed =
      count('failed') + count('pending') + sum(modules.map(brokenOutside)) + unhandled.length
    console.log(`${states.length} cases say ${repetition(modules)}`)
    if (count('skipped')) console.log(`${count('skipped')} skipped`)
    console.log(summary({ passed: count('passed'), failed }))
  }
}

/** Places of repeated sentences, which titles name. */
const DOORS = /\b(?:node|fetch) door\b/gi
const DATABASES = /\b(?:sqlite|postgres(?:ql)?|mysql|mariadb|an array)\b/gi

/** The number of sentences, and of repeated ones with their places. */
function repetition(modules: readonly TestModule[]): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const texts = tests.map(({ module, fullName }) => `${module.moduleId} ${fullName}`)
  const said = Map.groupBy(texts, (text) => text.replaceAll(DOORS, '').replaceAll(DATABASES, ''))
  const repeated = (places: RegExp): number =>
    [...said.values()].filter((cases) => placesIn(cases, places) > 1).length
  return `${said.size} sentences, ${repeated(DOORS)} of them through both doors (node and fetch), ${repeated(DATABASES)} on several databases`
}

/** The number of places with cases of one sentence. */
function placesIn(cases: readonly string[], places: RegExp): number {
  return new Set(cases.flatMap((text) => text.match(places) ?? [])).size
}

/** The number of failures outside of tests: a file that did not load, a hook that threw, a suite without tests. */
function brokenOutside(module: TestModule): number {
  const suites = [module, ...module.children.allSuites()]
  const errors = sum(suites.map((suite) => suite.errors().length))
  const empty = [...module.children.allTests()].length === 0
  return empty ? Math.max(1, errors) : errors
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
