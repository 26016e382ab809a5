// SPDX-License-Identifier: Apache-2.0
import { TestRunner } from 'vitest';
import { type Deadline, deadlines } from './time-left.ts';

/**
 * A setup file that records the deadline of the running test or hook. Vitest keeps it in an undocumented field of its
 * runner; the test beside this file fails if an update of vitest removes it.
 */
Object.defineProperty(TestRunner.prototype, '_deadline', {
  configurable: true,
  get: () => deadlines.current,
  set: (deadline: Deadline | undefined) => {
    deadlines.set(deadline);
  },
});
