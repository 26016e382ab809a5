// SPDX-License-Identifier: Apache-2.0
/** Clusters in which pods have only IPv6 addresses, or IPv6 and IPv4 addresses: bootstrapped, scaled, healed, backed up and restored. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FamilyGround } from './restore/testing/family-ground.ts';

describe.each([
  ['IPv6 alone', ['IPv6']],
  ['both families, IPv6 first', ['IPv6', 'IPv4']],
] as const)('%s', (_name, families) => {
  let ground: FamilyGround;
  beforeAll(async () => {
    ground = await FamilyGround.start(families);
  });
  afterAll(() => ground?.[Symbol.asyncDispose]());

  test.each(['plain', 'safe'])(
    'a cluster (%s) forms, scales, replaces a member, is backed up and restored',
    async (name) => {
      const { clusters } = ground.lab;
      const TLS = name === 'safe' ? await ground.certificates(name) : undefined;
      await ground.create(name, { size: 3, ...(TLS && { TLS }) });
      expect(await ground.families(name)).toEqual(Array(3).fill(families.join()));
      await ground.put(name, 'needle', 'first');
      for (const size of [5, 3]) {
        await clusters.change(name, { size });
        expect((await clusters.settled(name)).status?.readySize).toBe(size);
      }
      const [lost] = await clusters.pods(name);
      await clusters.deletePod(lost?.metadata?.name ?? '', 0);
      await clusters.until('another member is there', async () => {
        // Compared by UID, because the new member may have the name of the deleted one.
        const uids = (await clusters.pods(name)).map(({ metadata }) => metadata?.uid);
        return uids.length === 3 && !uids.includes(lost?.metadata?.uid) ? true : undefined;
      });
      await clusters.settled(name);
      await ground.backup(name);
      await ground.put(name, 'needle', 'second');
      await ground.lab.restore(name, `${name}.db`);
      await ground.lab.succeeded(name);
      expect((await clusters.settled(name)).status).toMatchObject({ readySize: 3, incarnation: 2 });
      expect(await ground.readAtService(name, 'needle')).toBe('first');
    },
  );
});
