// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { PointTracker } from './recovery-point.ts';

test('in a quiet cluster, the time moves on with each sight of the same revision', () => {
  const tracker = new PointTracker(10n);
  expect(tracker.point).toBeUndefined();
  tracker.sighted(10n, 1_000);
  tracker.sighted(10n, 4_000);
  expect(tracker.point).toEqual({ revision: 10n, time: 4_000 });
});

test('a revision that is not stored yet does not count, and counts from when it was seen once it is', () => {
  const tracker = new PointTracker(10n);
  tracker.sighted(12n, 5_000);
  expect(tracker.point).toBeUndefined();
  tracker.stored(11n, 3_000);
  expect(tracker.point).toEqual({ revision: 11n, time: 3_000 });
  tracker.stored(12n, 4_900);
  expect(tracker.point).toEqual({ revision: 12n, time: 5_000 });
});

test('the time does not run backwards, whatever the clock does', () => {
  const tracker = new PointTracker(10n);
  tracker.sighted(10n, 5_000);
  tracker.stored(11n, 1_000);
  expect(tracker.point).toEqual({ revision: 11n, time: 5_000 });
});
