// SPDX-License-Identifier: Apache-2.0
import { seededRandom } from '@etcd-operator/ports';
import { expect, test } from 'vitest';
import { EtcdLab } from '../../testing/etcd-process.ts';
import { proveReplay } from '../../testing/prove-replay.ts';

test.each([
  [2, 60, 120],
  [3, 150, 60],
])(
  'a snapshot with later changes added is what the member was at that revision (seed %i)',
  async (seed, before, after) => {
    await using lab = await EtcdLab.open();
    await expect(
      proveReplay(lab, { version: '3.6', random: seededRandom(seed), before, after }),
    ).resolves.toBeUndefined();
  },
);
