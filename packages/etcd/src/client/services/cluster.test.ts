// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, FakeMember } from '../../testing/fake-member.ts';
import { MemberClient } from '../member-client.ts';
import { statusResponse } from '../messages/maintenance-messages.ts';

const status = statusResponse.encode({ version: '3.6.16' });

let member: FakeMember;
let client: MemberClient;

beforeEach(() => {
  member = new FakeMember();
  client = new MemberClient({ target: { host: '10.0.0.7', port: 2379 }, clock: new VirtualClock(), dial: member.dial });
});
afterEach(() => client.close());

describe('versions', () => {
  test('a learner is never added where that would silently be a voter', async () => {
    const old = statusResponse.encode({ version: '3.3.25' });
    member.onCall((call) => call.reply(old));
    const added = client.cluster.memberAdd({ peerUrls: ['http://b:2380'], isLearner: true });
    const error: unknown = await added.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'Unimplemented', outcomeUnknown: false });
    expect(String(error)).toContain('learners need etcd 3.4 or newer');
    expect(member.calls.map(({ method }) => method)).toEqual(['Maintenance/Status']);
  });

  test('a linearizable member list of 3.4 is preceded by a linearizable read; the version is asked for once', async () => {
    member.onCall((call) =>
      call.reply(
        call.method === 'Maintenance/Status' ? statusResponse.encode({ version: '3.4.23' }) : new Uint8Array(0),
      ),
    );
    await client.cluster.memberList();
    await client.cluster.memberList();
    await client.cluster.memberList({ linearizable: false });
    expect(member.calls.map(({ method }) => method)).toEqual([
      'Maintenance/Status',
      'KV/Range',
      'Cluster/MemberList',
      'KV/Range',
      'Cluster/MemberList',
      'Cluster/MemberList',
    ]);
  });

  test('the version is asked for again after a new connection: the process may be another', async () => {
    member.onCall((call) => call.reply(call.method === 'Maintenance/Status' ? status : new Uint8Array(0)));
    await client.cluster.memberList();
    member.kill();
    await eventually(() => !client.connected);
    await client.cluster.memberList();
    expect(member.calls.filter(({ method }) => method === 'Maintenance/Status')).toHaveLength(2);
  });
});
