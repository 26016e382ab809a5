// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, openGround } from './testing/ground.ts';
import type { StrikeKind } from './testing/strike.ts';
import { type Sweep, sweep, tableOf } from './testing/sweep.ts';
import { workloads } from './testing/workloads/index.ts';

/**
 * The operators are killed at every single write they make, on real etcd and a real store: generated from how many writes there are,
 * not picked by hand. Every run ends as the undisturbed one, and then writes nothing any more.
 *
 * `CRASH_WORKLOADS` (words of names, separated by commas), `CRASH_KINDS` and `CRASH_STRIDE` choose a part of it; `CRASH_AT_ONCE` says how
 * many runs there are at a time.
 */
const { env } = process;
const wanted = env['CRASH_WORKLOADS']?.split(',') ?? [''];
const kinds = (env['CRASH_KINDS']?.split(',') ?? ['killed', 'late', 'unanswered']) as readonly StrikeKind[];
const options = { kinds, atOnce: Number(env['CRASH_AT_ONCE'] ?? 4), stride: Number(env['CRASH_STRIDE'] ?? 1) };

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

test.each(workloads.filter(({ name }) => wanted.some((word) => name.includes(word))))(
  '$name: struck at every write, the same end state, and then no more writes',
  async (workload) => {
    const result = await sweep(ground, workload, { ...options, report });
    sweeps.push(result);
    report(tableOf([result]));
    expect(result.failures).toEqual([]);
    expect(result.points).toBeGreaterThan(0);
  },
);
