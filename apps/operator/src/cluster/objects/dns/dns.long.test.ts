// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

describe('fault 36, operator rule 17: DNS that remembers what was not there', () => {
  test('a cluster comes up although a name once missed is missing for 30 s', { timeout: 180_000 }, async () => {
    await ground.lab.faults.network.dns({ negativeCacheMilliseconds: 30_000 });
    await ground.create('forgetful', { size: 3 });
    expect((await ground.settled('forgetful', 150_000)).status?.readySize).toBe(3);
  });
});
