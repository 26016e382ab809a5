// SPDX-License-Identifier: Apache-2.0
import { seededRandom } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { EtcdLab } from '../../testing/etcd-process.ts';
import { proveReplay } from '../../testing/prove-replay.ts';

test.each([
  ['3.6', 2, 60, 120],
  ['3.6', 3, 150, 60],
  ['3.5', 4, 60, 60],
  ['3.7', 5, 60, 60],
])(
  'a snapshot of etcd %s with later changes added is what the member was at that revision (seed %i)',
  async (version, seed, before, after) => {
    await using lab = await EtcdLab.open();
    await expect(proveReplay(lab, { version, random: seededRandom(seed), before, after })).resolves.toBeUndefined();
  },
);
