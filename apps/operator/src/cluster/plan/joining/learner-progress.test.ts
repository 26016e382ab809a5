// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { planCluster } from '../plan.ts';
import {
  closed,
  container,
  healthy,
  joining,
  member,
  nothing,
  now,
  see,
  spec,
} from '../testing/situations/vocabulary.ts';

/** When a learner is observed again whose client port has been closed for this time, and which has applied this many entries. */
function retryAfter(milliseconds: number, applied: number): number | undefined {
  const changes = [
    healthy(3),
    spec({ size: 4 }),
    see({ budget: { minAvailable: 3, otherOwner: false } }),
    joining('f'),
    member('f', { name: 'c-ffffffffff' }),
    container('f', { state: 'running', reason: '' }),
    closed(milliseconds, 'f', applied),
  ];
  const seen = changes.reduce((observation, change) => change(observation), nothing());
  return planCluster(seen, now).retryAfter;
}

test('a learner that receives the data is looked at less and less often', () => {
  expect([0, 6_000, 20_000, 90_000].map((since) => retryAfter(since, 1))).toEqual([250, 600, 2_000, 5_000]);
});

test('a learner that has the data opens its client port at any moment: it is looked at soon', () => {
  expect([0, 6_000, 20_000, 90_000].map((since) => retryAfter(since, 1_000))).toEqual([250, 250, 250, 250]);
});
