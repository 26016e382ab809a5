// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import type { SerializedError, TestModule } from 'vitest/node';

/** One failure in a run of tests. */
export interface Failure {
  /** File and names, as `file > subject > sentence`. */
  readonly where: string;
  readonly error: SerializedError;
}

/** All failures: tests, hooks, files that do not load, and uncaught errors. */
export function failuresOf(
  modules: readonly TestModule[],
  strayErrors: readonly SerializedError[],
): readonly Failure[] {
  const failures: Failure[] = [];
  const add = (where: string, errors: readonly SerializedError[] = []) =>
    failures.push(...errors.map((error) => ({ where, error })));
  for (const module of modules) {
    const file = module.relativeModuleId;
    add(file, module.errors());
    for (const suite of module.children.allSuites()) add(`${file} > ${suite.fullName}`, suite.errors());
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'failed') add(`${file} > ${test.fullName}`, errors);
      if (state === 'pending') add(`${file} > ${test.fullName}`, [{ name: 'Error', message: 'did not end' }]);
    }
  }
  add('outside of any test', strayErrors);
  return failures;
}

/** Two lines for each failure: its name, and the beginning of its message. */
export function failureList(failures: readonly Failure[], root: string): string {
  return failures
    .map(({ where, error }) => {
      const words = error.message.split('\n', 1)[0]?.slice(0, 200);
      return `  ${where}\n    ${words}${placeOf(error, root)}`;
    })
    .join('\n');
}

/** The full text of each failure: the difference, and the stack. */
export function failureDetails(failures: readonly Failure[]): string {
  return failures
    .map(({ where, error }) => [
      `--- ${where}`,
      String(error['diff'] ?? ''),
      error.stack ?? error.message,
      causesOf(error),
    ])
    .map((parts) => parts.filter((part) => part !== '').join('\n'))
    .join('\n\n');
}

function causesOf({ cause }: SerializedError): string {
  return cause === undefined ? '' : `because of ${cause.stack ?? cause.message}\n${causesOf(cause)}`.trimEnd();
}

function placeOf({ stacks = [] }: SerializedError, root: string): string {
  const [place] = stacks;
  return place ? ` (${relative(root, place.file)}:${place.line})` : '';
}
