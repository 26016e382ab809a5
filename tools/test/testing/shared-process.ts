// SPDX-License-Identifier: Apache-2.0
import { setTimeout } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { leftBehind, processState } from './left-behind.ts';

/**
 * A setup file for tests that share a process with the files before and after them, which saves loading the same modules for each:
 * a file that leaves something behind fails, and not one that runs after it.
 */
const before = processState();

/** What was closed is gone a moment later, on a busy machine some seconds. */
const patience = 30_000;

afterAll(async () => {
  const end = performance.now() + patience;
  let left = leftBehind(before, processState());
  while (left.length > 0 && performance.now() < end) {
    await setTimeout(20);
    left = leftBehind(before, processState());
  }
  if (left.length === 0) return;
  throw new Error(
    `this file leaves behind ${left.join(', ')}: end it in the file, the next one runs in the same process`,
  );
});
