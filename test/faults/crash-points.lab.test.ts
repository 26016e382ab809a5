// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ground, openGround } from './testing/ground.ts';
import { type Outcome, run } from './testing/run.ts';
import type { StrikeKind } from './testing/strike.ts';
import { differences } from './testing/sweep.ts';
import type { Workload } from './testing/workload.ts';
import { workloads } from './testing/workloads/index.ts';

/** Each way to strike once, at writes to each server: crash-points.long.test.ts does it at every write of every workload. */
let ground: Ground;
let undisturbed: Outcome;

const createOne: Workload = {
  name: 'create 1',
  client: true,
  act: async (_scene, clusters) => {
    await clusters.create({ size: 1 });
    await clusters.settled();
  },
};

beforeAll(async () => {
  ground = await openGround();
  undisturbed = await run(ground, createOne);
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test.concurrent.each<[StrikeKind, number]>([
  ['killed', 3],
  ['late', 3],
  ['unanswered', 3],
  ['stale', 5],
  ['unobserved', 3],
])('a cluster is created as if nothing had happened: %s at write %i', async (kind, at) => {
  const outcome = await run(ground, createOne, { kind, at }, undisturbed.end);
  expect(outcome.hasStruck).toBe(true);
  expect(differences(outcome, undisturbed)).toEqual([]);
});

test.concurrent('a backup is made as if nothing had happened: killed at its first write to the store', async () => {
  const workload = workloads.find(({ name }) => name === 'backup once') ?? createOne;
  const whole = await run(ground, workload);
  const outcome = await run(ground, workload, { kind: 'killed', at: 1, of: 'store' }, whole.end);
  expect(outcome.hasStruck).toBe(true);
  expect(differences(outcome, whole)).toEqual([]);
});
