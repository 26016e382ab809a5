// SPDX-License-Identifier: Apache-2.0
import { TestRunner } from 'vitest';
import { type Deadline, deadlines } from './time-left.ts';

/**
 * A setup file: from now on it is known when the test or hook that runs is over. Vitest keeps that in a field of its runner that is not
 * documented; the test beside this file fails when an update of vitest takes it away.
 */
Object.defineProperty(TestRunner.prototype, '_deadline', {
  configurable: true,
  get: () => deadlines.current,
  set: (deadline: Deadline | undefined) => {
    deadlines.set(deadline);
  },
});
