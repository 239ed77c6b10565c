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
    if (count('skipped')) console.log(`${count('skipped')} skipped`)
    console.log(summary({ passed: count('passed'), failed }))
  }
}

/** Failures that belong to no test: a file that did not load, a hook that threw, a suite without tests. */
function brokenOutside(module: TestModule): number {
  const suites = [module, ...module.children.allSuites()]
  const errors = sum(suites.map((suite) => suite.errors().length))
  const empty = [...module.children.allTests()].length === 0
  return empty ? Math.max(1, errors) : errors
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
