// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, openGround } from './testing/ground.ts';
import type { StrikeKind } from './testing/strike.ts';
import { type Sweep, sweep, tableOf } from './testing/sweep.ts';
import { workloads } from './testing/workloads/index.ts';

/**
 * The operators are killed at every single write they make, on real etcd and a real store, and see an older world, or nothing of it, from
 * every one on: generated from how many writes there are, not picked by hand. Every run ends as the undisturbed one, and then writes
 * nothing any more.
 *
 * `CRASH_WORKLOADS` (words of names, separated by commas), `CRASH_KINDS` and `CRASH_STRIDE` choose a part of it; `CRASH_AT_ONCE` says how
 * many runs there are at a time, and `LAB_ETCD` with which etcd (3.5, 3.6 or 3.7).
 */
const { env } = process;
const wanted = env['CRASH_WORKLOADS']?.split(',') ?? [''];
/** Each group has the time of a test of its own. */
const groups: readonly (readonly StrikeKind[])[] = [
  ['killed', 'late', 'unanswered'],
  ['stale', 'unobserved'],
];
const asked = env['CRASH_KINDS']?.split(',') ?? groups.flat();
const options = { atOnce: Number(env['CRASH_AT_ONCE'] ?? 4), stride: Number(env['CRASH_STRIDE'] ?? 1) };

const report = (line: string) => process.stdout.write(`${line}\n`);

let ground: Ground;
const sweeps: Sweep[] = [];

beforeAll(async () => {
  ground = await openGround();
});

afterAll(async () => {
  process.stdout.write(`${tableOf(sweeps)}\n`);
  await ground?.[Symbol.asyncDispose]();
});

const sweptBy = groups
  .map((group) => group.filter((kind) => asked.includes(kind)))
  .filter((kinds) => kinds.length > 0)
  .flatMap((kinds) => workloads.map((workload) => ({ name: workload.name, kinds, workload })));

test.each(sweptBy.filter(({ name }) => wanted.some((word) => name.includes(word))))(
  '$name: struck at every write ($kinds), the same end state, and then no more writes',
  async ({ workload, kinds }) => {
    const result = await sweep(ground, workload, { ...options, kinds, report });
    sweeps.push(result);
    report(tableOf([result]));
    expect(result.failures).toEqual([]);
    expect(result.points).toBeGreaterThan(0);
  },
);
