// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { FaultName } from './run/faults.ts';
import { runScript } from './run/run-seed.ts';
import { scriptOf } from './run/script.ts';

const undisturbed = { ...scriptOf(1), size: 3, storage: 'claim', calmAt: 60_000, events: [] } as const;

test('without faults a cluster of three becomes available within seconds, and nothing is written afterwards', async () => {
  const { failure, trace } = await runScript(undisturbed);
  expect(failure).toBeUndefined();
  const promotions = trace.filter((line) => line.includes('applied: promote'));
  expect(promotions).toHaveLength(2);
});

test('version by version up and down, with backups all the while', async () => {
  const at = (seconds: number, fault: FaultName, pick: number) => ({ at: 1000 * seconds, fault, pick, lasts: 1_000 });
  const { failure, trace } = await runScript({
    ...undisturbed,
    version: '3.5.33',
    calmAt: 330_000,
    events: [
      at(30, 'userBacksUp', 1),
      at(35, 'userStartsSeries', 1),
      at(60, 'userChangesVersion', 2),
      at(150, 'userChangesVersion', 3),
      at(240, 'userChangesVersion', 2),
    ],
  });
  expect(failure).toBeUndefined();
  const told = (words: string) => trace.filter((line) => line.includes(words)).length;
  expect([told('from 3.5.33 to 3.6.16'), told('from 3.6.16 to 3.7.3'), told('from 3.7.3 to 3.6.16')]).toEqual([
    3, 3, 3,
  ]);
});

test('a member that is lost in the middle of a downgrade is replaced, though etcd lets no member join meanwhile', async () => {
  const at = (seconds: number, fault: FaultName, pick: number) => ({ at: 1000 * seconds, fault, pick, lasts: 1_000 });
  const events = [at(60, 'userChangesVersion', 2), at(66, 'podForceDeleted', 1)];
  const { failure } = await runScript({
    ...undisturbed,
    version: '3.7.3',
    storage: 'emptyDir',
    calmAt: 120_000,
    events,
  });
  expect(failure).toBeUndefined();
});

test('a backup is restored in place and under a free name, and a cluster is copied while it serves', async () => {
  const at = (seconds: number, fault: FaultName, pick: number) => ({ at: 1000 * seconds, fault, pick, lasts: 1_000 });
  const events = [
    at(30, 'userBacksUp', 1),
    at(50, 'userRestores', 1),
    at(90, 'userRestoresElsewhere', 1),
    at(90, 'userClones', 1),
    at(130, 'userRecovers', 1),
  ];
  const { failure, trace } = await runScript({ ...undisturbed, calmAt: 160_000, events });
  expect(failure).toBeUndefined();
  const ends = trace.flatMap((line) => /=== restore-\d+ (Succeeded|Failed: .{20})/.exec(line)?.[1] ?? []);
  expect(ends).toEqual(['Succeeded', 'Succeeded', 'Succeeded', 'Failed: the cluster has a qu']);
});

test('a series is proven, and a cluster that has lost two of three members comes back from the one that is left', async () => {
  const at = (seconds: number, fault: FaultName, pick: number) => ({ at: 1000 * seconds, fault, pick, lasts: 1_000 });
  const events = [
    at(30, 'userStartsProvenSeries', 1),
    at(50, 'volumeDeleted', 0),
    at(50, 'volumeDeleted', 1),
    at(80, 'userRecovers', 1),
  ];
  const { failure, isLost, trace } = await runScript({ ...undisturbed, calmAt: 120_000, events });
  expect(failure).toBeUndefined();
  expect(isLost).toBe(false);
  const told = (words: RegExp) => trace.filter((line) => words.test(line)).length;
  expect([told(/=== series-\d+ proven/) > 0, told(/=== restore-\d+ Succeeded/)]).toEqual([true, 1]);
});

test('a cluster is recovered from a volume by an operator whose clock is wrong by a year', async () => {
  const at = (seconds: number, fault: FaultName, pick: number) => ({ at: 1000 * seconds, fault, pick, lasts: 1_000 });
  const events = [
    at(50, 'operatorClock', 2),
    at(50, 'volumeDeleted', 0),
    at(50, 'volumeDeleted', 1),
    at(80, 'userRecovers', 1),
  ];
  const { failure, isLost, trace } = await runScript({ ...undisturbed, operators: 1, calmAt: 120_000, events });
  expect([failure, isLost]).toEqual([undefined, false]);
  expect(trace.filter((line) => /=== restore-\d+ Succeeded/.test(line))).toHaveLength(1);
});

test('a restore whose writes a webhook undoes makes pauses, and goes on when the webhook is gone', async () => {
  const at = (seconds: number, fault: FaultName, lasts: number) => ({ at: 1000 * seconds, fault, pick: 4, lasts });
  const events = [at(30, 'userBacksUp', 1_000), at(50, 'userRestores', 1_000), at(51, 'webhookUndoes', 100_000)];
  const { failure, trace } = await runScript({ ...undisturbed, calmAt: 170_000, latency: 0, events });
  expect(failure).toBeUndefined();
  expect(trace.filter((line) => /=== restore-\d+ (Succeeded|Failed)/.test(line))).toHaveLength(1);
});

test('a recovery that was asked for while the operator reached no member ends once it does', async () => {
  const events = [
    { at: 60_000, fault: 'operatorCutFromAll', pick: 1, lasts: 400_000 },
    { at: 90_000, fault: 'userRecovers', pick: 1, lasts: 1_000 },
  ] as const;
  const { failure, trace } = await runScript({ ...undisturbed, calmAt: 200_000, events });
  expect(failure).toBeUndefined();
  expect(trace.filter((line) => /=== restore-\d+ Failed: .*recovery is not needed/.test(line))).toHaveLength(1);
});
