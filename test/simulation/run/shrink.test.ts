// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Outcome } from './run-seed.ts';
import { type Script, scriptOf } from './script.ts';
import { shrink } from './shrink.ts';

/** A world in which a rule is broken if a volume is deleted after a node went down. */
async function brittle({ seed, events }: Script): Promise<Outcome> {
  const down = events.findIndex(({ fault }) => fault === 'nodeDown');
  const isBroken = down >= 0 && events.slice(down).some(({ fault }) => fault === 'volumeDeleted');
  return { seed, failure: isBroken ? 'I2: lost' : undefined, isLost: false, virtualSeconds: 0, trace: [] };
}

test('only the faults that matter are left', async () => {
  const noise = scriptOf(3)
    .events.filter(({ fault }) => fault !== 'nodeDown' && fault !== 'volumeDeleted')
    .slice(0, 20);
  const events = [
    ...noise.slice(0, 7),
    { at: 1, fault: 'nodeDown', pick: 0, lasts: 1 } as const,
    ...noise.slice(7, 15),
    { at: 2, fault: 'volumeDeleted', pick: 0, lasts: 1 } as const,
    ...noise.slice(15),
  ];
  const script = { ...scriptOf(3), events };
  const { script: small } = await shrink(script, await brittle(script), brittle, 200);
  expect(small.events.map(({ fault }) => fault)).toEqual(['nodeDown', 'volumeDeleted']);
});

test('a seed always makes the same script, another seed another one', () => {
  expect(scriptOf(5)).toEqual(scriptOf(5));
  expect(scriptOf(5)).not.toEqual(scriptOf(6));
});
