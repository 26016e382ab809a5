// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/** Waits until there have been only watch requests for a while. */
async function quiet(milliseconds: number): Promise<void> {
  await ground.until('quiet', async () => {
    const before = ground.requests.length;
    await systemClock.sleep(milliseconds);
    return ground.requests.length === before ? true : undefined;
  });
}

describe('a healthy cluster at rest', () => {
  test('operator rule 10: costs no API request while no client writes, and one status for a reading while one does', async () => {
    await ground.create('calm', { size: 3 });
    await ground.create('lone', { size: 1 });
    await Promise.all([ground.settled('calm'), ground.settled('lone')]);
    // On a busy machine a member may not answer for a while, which changes the status. Then another stretch is measured.
    for (let stretchesLeft = 2; ; stretchesLeft--) {
      await quiet(7_000);
      const { length } = ground.requests;
      for (let second = 0; second < 12; second++) {
        await ground.put('calm', `key-${second}`, 'x'.repeat(1_000));
        await systemClock.sleep(1_000);
      }
      const asked = ground.requests.slice(length);
      if (asked.length > 3 && stretchesLeft > 0) continue;
      expect(asked.length).toBeLessThanOrEqual(3);
      expect(asked.filter((request) => !/^PATCH .*\/etcdclusters\/calm\/status(\?|$)/.test(request))).toEqual([]);
      break;
    }
    expect((await ground.get('calm')).status?.readySize).toBe(3);
  });

  test('revision and size in its status are at most 15 s old', async () => {
    await ground.put('lone', 'key', 'x');
    using member = await ground.member('lone');
    const { header } = await member.kv.range({ key: Buffer.from('key') });
    const shown = await ground.until(
      'the revision is shown',
      async () => {
        const [detail] = (await ground.get('lone')).status?.memberDetails ?? [];
        return detail?.revision === Number(header.revision) ? detail : undefined;
      },
      15_000,
    );
    expect(shown.databaseSize).toBeGreaterThan(0);
  });
});
