// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Sample } from './held.ts';
import { picture } from './picture.ts';
import { growthOf, leaksIn } from './verdict.ts';

/** A rest every five minutes for an hour. */
function hour(of: (at: number) => Partial<Sample>): readonly Sample[] {
  return Array.from({ length: 12 }, (_, index) => {
    const at = 5 * (index + 1);
    const still = {
      resident: 80e6,
      proportional: 60e6,
      heap: 20e6,
      external: 5e6,
      sockets: 30,
      timers: 50,
      handles: 40,
      watches: 24,
    };
    return { at, pod: 'operator-a', isAtRest: true, ...still, ...of(at) };
  });
}

test('an operator that holds what it held has no leak', () => {
  expect(leaksIn(hour(() => ({})))).toEqual([]);
});

test('growth in the first ten minutes does not count', () => {
  const samples = hour((at) => ({ resident: at < 10 ? 60e6 : 80e6 }));
  expect(growthOf(samples)).toMatchObject([{ resident: 0, heap: 0, over: 50 }]);
  expect(leaksIn(samples)).toEqual([]);
});

test('two megabytes per hour are a leak, resident or of the heap', () => {
  expect(leaksIn(hour((at) => ({ resident: 80e6 + (at / 60) * 2e6 })))).toEqual([
    'operator-a: resident memory grows by 2.00 MB per hour, bar 1',
  ]);
  expect(leaksIn(hour((at) => ({ heap: 20e6 + (at / 60) * 2e6 })))).toEqual([
    'operator-a: heap memory grows by 2.00 MB per hour, bar 1',
  ]);
});

test('what was held while something was disturbed is not judged', () => {
  const disturbed = hour((at) => ({ at: at + 2, isAtRest: false, resident: 200e6 * at, sockets: at }));
  expect(leaksIn([...hour(() => ({})), ...disturbed])).toEqual([]);
});

test.each(['sockets', 'timers', 'handles', 'watches'] as const)(
  '%s that are more at the last rest have leaked',
  (what) => {
    expect(leaksIn(hour((at) => ({ [what]: at })))).toEqual([`operator-a: 10 ${what} at minute 10, 60 at minute 60`]);
  },
);

test('a slope over a few minutes is not judged', () => {
  const short = hour((at) => ({ resident: at * 1e6 })).filter(({ at }) => at <= 20);
  expect(leaksIn(short)).toEqual([]);
});

test('the picture has a curve and a slope for each operator', () => {
  const drawn = picture([...hour(() => ({})), ...hour((at) => ({ pod: 'operator-b', resident: 80e6 + at * 1e4 }))]);
  expect(drawn.match(/<polyline/g)).toHaveLength(2);
  expect(drawn).toContain('operator 2: +0.60 MB per hour');
  expect(drawn).not.toContain('NaN');
});
