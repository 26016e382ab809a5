// SPDX-License-Identifier: Apache-2.0

/** The number of passed and failed tests. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** The used fields of a finished test file. */
export interface FinishedFile {
  /** The result of each test in it. */
  readonly tests: readonly ('passed' | 'failed' | 'skipped' | 'pending')[];
  /** True if the file or one of its hooks failed outside of any test. */
  readonly broken: boolean;
}

/**
 * Counts results. Each failure outside of a test (a file that does not load, a hook, an uncaught error) counts as one
 * failure, so that a red run never looks green; so does a test that never ended.
 */
export function tallyOf(files: readonly FinishedFile[], strayErrors: number): Tally {
  const results = files.flatMap(({ tests }) => tests);
  const broken = files.filter((file) => file.broken && !file.tests.includes('failed')).length;
  return {
    passed: results.filter((result) => result === 'passed').length,
    failed: results.filter((result) => result === 'failed' || result === 'pending').length + broken + strayErrors,
  };
}

/** The last line of every test command; `.ci/run` adds these up. */
export function tallyLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
