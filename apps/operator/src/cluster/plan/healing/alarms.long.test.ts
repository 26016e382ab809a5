// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corruptLeader, hashes, told } from '../../../testing/alarm-scene.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ versions: ['3.5', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const checks = {
  '3.5.35': [
    { name: 'ETCD_EXPERIMENTAL_COMPACT_HASH_CHECK_ENABLED', value: 'true' },
    { name: 'ETCD_EXPERIMENTAL_COMPACT_HASH_CHECK_TIME', value: '1s' },
  ],
  '3.7.3': [
    { name: 'ETCD_FEATURE_GATES', value: 'CompactHashCheck=true' },
    { name: 'ETCD_COMPACT_HASH_CHECK_TIME', value: '1s' },
  ],
};

// 3.5 raises the alarm for member 0, so only a comparison shows which member differs.
describe('a member whose disk has changed a value, on volumes', () => {
  test.each(Object.entries(checks))(
    '%s: it is replaced, and the alarm ends',
    { timeout: 180_000 },
    async (version, etcdEnv) => {
      const name = `odd-${version.replaceAll('.', '-')}`;
      const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } as const;
      await ground.create(name, { size: 3, version, pod: { etcdEnv, persistentVolumeClaimSpec: claim } });
      await ground.settled(name);
      const victim = await corruptLeader(ground, name);
      await ground.until('told of the end of the alarm', async () =>
        (await told(ground, name)).find((text) => text.startsWith('AlarmCleared')),
      );
      const { status } = await ground.settled(name, 100_000);
      expect(status?.memberDetails?.map(({ id }) => id)).not.toContain(victim.id);
      expect(new Set(await hashes(ground, name)).size).toBe(1);
      expect(await ground.read(name, 'needle')).toBe('right-value');
      await ground.put(name, 'written', 'again');
    },
  );
});
