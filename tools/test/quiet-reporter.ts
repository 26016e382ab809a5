// SPDX-License-Identifier: Apache-2.0
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { failureDetails, failureList, failuresOf } from './failures.ts';

const interval = 60_000;

/** A file that takes at least this many milliseconds is listed at the end; add it to longest-first.ts. */
const long = 40_000;

/**
 * Output for CI: a line every minute, each failure at once, and at the end the slowest files and all failures, first in
 * short and then in full. Passed tests are only counted.
 */
export class QuietReporter implements Reporter {
  readonly #root: string;
  #done = 0;
  #failed = 0;
  #lastWord = performance.now();

  constructor(root: string) {
    this.#root = root;
  }

  onTestCaseResult(test: TestCase): void {
    this.#done += 1;
    const { state, errors = [] } = test.result();
    if (state === 'failed') {
      this.#failed += 1;
      const where = `${test.module.relativeModuleId} > ${test.fullName}`;
      process.stdout.write(
        `${failureList(
          errors.map((error) => ({ where, error })),
          this.#root,
        )}\n`,
      );
    }
    if (performance.now() - this.#lastWord < interval) return;
    this.#lastWord = performance.now();
    process.stdout.write(`${this.#done} tests have run, ${this.#failed} of them failed\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly SerializedError[]): void {
    process.stdout.write(longFiles(modules));
    const failures = failuresOf(modules, strayErrors);
    if (failures.length === 0) return;
    process.stdout.write(
      `\nFAILED: ${failures.length}\n${failureList(failures, this.#root)}\n\n${failureDetails(failures)}\n`,
    );
  }
}

function longFiles(modules: readonly TestModule[]): string {
  return modules
    .map((module) => ({ path: module.relativeModuleId, duration: module.diagnostic().duration }))
    .filter(({ duration }) => duration >= long)
    .sort((a, b) => b.duration - a.duration)
    .map(({ path, duration }) => `${String(Math.round(duration / 1000)).padStart(5)} s  ${path}\n`)
    .join('');
}
