// SPDX-License-Identifier: Apache-2.0
import { FakeMember } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { parseEndpoint } from '../../observe/etcd-endpoint.ts';
import { chooseMember } from './choose-member.ts';

interface Status {
  readonly cluster: number;
  readonly revision: number;
  readonly leads?: boolean;
}

/** Members by host name. In a status reply, field 1 is the header with cluster, member and revision, and field 4 is the leader. */
function choose(members: Readonly<Record<string, Status | undefined>>) {
  const endpoints = Object.keys(members).flatMap((host) => parseEndpoint(`http://${host}:2379`) ?? []);
  const fakes = new Map(
    Object.entries(members).map(([host, status], index) => {
      const { cluster = 0, revision = 0, leads = false } = status ?? {};
      const reply = Uint8Array.of(
        0x0a,
        6,
        0x08,
        cluster,
        0x10,
        index + 1,
        0x18,
        revision,
        0x20,
        leads ? index + 1 : 99,
      );
      return [host, new FakeMember((call) => (status ? call.reply(reply) : call.refuse(14, 'down')))];
    }),
  );
  const dial: FakeMember['dial'] = (target, signal) => {
    const fake = fakes.get(target.host);
    if (!fake) throw new Error(`no ${target.host}`);
    return fake.dial(target, signal);
  };
  const access = { tls: undefined, login: undefined };
  const { signal } = new AbortController();
  return chooseMember(endpoints, { clock: systemClock, dialFor: () => dial, access, isLoginLabelled: true, signal });
}

test('[77] the member with the highest revision is chosen, of several one that does not lead; those that are down are passed over', async () => {
  const chosen = await choose({
    behind: { cluster: 7, revision: 3 },
    leader: { cluster: 7, revision: 9, leads: true },
    follower: { cluster: 7, revision: 9 },
    down: undefined,
  });
  chosen.client.close();
  expect(chosen.endpoint.host).toBe('follower');
});

test('members of two clusters are refused, and both cluster IDs are named', async () => {
  const refused = choose({ a: { cluster: 10, revision: 3 }, b: { cluster: 11, revision: 9 }, down: undefined });
  await expect(refused).rejects.toMatchObject({
    fault: {
      kind: 'lasting',
      reason: 'DifferentClusters',
      message: expect.stringMatching(/belongs to cluster b, .* belongs to cluster a/),
    },
  });
});
