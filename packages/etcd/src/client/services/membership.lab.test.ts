// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raisedMaxLearners } from '../../rules/membership/learners.ts';
import { initialCluster } from '../../rules/membership/member-name.ts';
import { type Reconfig, type ReconfigMember, reconfigVerdict } from '../../rules/membership/strict-reconfig.ts';
import { versionOf } from '../../rules/versions/version.ts';
import { EtcdLab, type EtcdProcess } from '../../testing/etcd-process.ts';
import { type EtcdErrorCode, isEtcdError } from '../etcd-error.ts';
import type { MemberClient } from '../member-client.ts';
import type { Member } from '../messages/cluster-messages.ts';
import { formatId } from './member-status.ts';

const env = { ETCD_MAX_LEARNERS: String(raisedMaxLearners) };

let lab: EtcdLab;
let a: EtcdProcess;
let b: EtcdProcess;
let c: EtcdProcess;
let client: MemberClient;

beforeAll(async () => {
  lab = await EtcdLab.open();
  [a, b, c] = [await lab.member(), await lab.member(), await lab.member()];
  await a.start({ env });
  client = a.client();
});
afterAll(() => lab[Symbol.asyncDispose]());

/**
 * `--initial-cluster` for a joining member, from the answer to its addition: members that have not started have no
 * name, so it must use its own.
 */
function joinList(members: readonly Member[], joining: EtcdProcess): string {
  const names = new Map([a, b, c].map((member) => [member.peerUrl, member.name]));
  expect(members.some(({ peerUrls }) => peerUrls.includes(joining.peerUrl))).toBe(true);
  return initialCluster(
    members.map(({ name, peerUrls: [peerUrl = ''] }) => ({ name: name || (names.get(peerUrl) ?? ''), peerUrl })),
  );
}

async function idOf(member: EtcdProcess): Promise<bigint> {
  const { members } = await client.cluster.memberList();
  return members.find(({ peerUrls }) => peerUrls.includes(member.peerUrl))?.id ?? 0n;
}

/** Retries temporary refusals: `Unhealthy` and `LearnerNotReady`. */
async function patiently<T>(
  change: () => Promise<T>,
  reasons: EtcdErrorCode[] = ['Unhealthy', 'LearnerNotReady'],
): Promise<T> {
  for (const end = performance.now() + 60_000; ; ) {
    try {
      return await change();
    } catch (error) {
      if (performance.now() > end || !isEtcdError(error, ...reasons)) throw error;
      await systemClock.sleep(50);
    }
  }
}

describe('learners', () => {
  test('operator rule 9: b and c join as learners while the seed is the only voter, without a wait', async () => {
    const first = await client.cluster.memberAdd({ peerUrls: [b.peerUrl], isLearner: true });
    expect(first.member).toMatchObject({ name: '', isLearner: true });
    await b.start({ env, join: joinList(first.members, b) });
    const second = await client.cluster.memberAdd({ peerUrls: [c.peerUrl], isLearner: true });
    await c.start({ env, join: joinList(second.members, c) });
    const { members } = await client.cluster.memberList();
    expect(members.filter(({ isLearner }) => isLearner)).toHaveLength(2);
    expect(members).toHaveLength(3);
  });

  test('operator rule 13: of two additions of one URL at once exactly one is made; the other never counts as done', async () => {
    const url = 'http://127.0.0.1:2';
    const add = () => a.client().cluster.memberAdd({ peerUrls: [url], isLearner: true }, { timeoutMs: 3_000 });
    const made = async () =>
      (await client.cluster.memberList()).members.filter(({ peerUrls }) => peerUrls.includes(url));
    try {
      const outcomes = await Promise.all([add(), add()].map((each) => each.then(() => 'added', codeOf)));
      const refused = outcomes.filter((outcome) => outcome !== 'added');
      expect(refused).toHaveLength(1);
      // raft drops a change that is proposed while another is pending: usually without an answer, so that the outcome
      // must be read. Otherwise the member ID exists already (within one second), or the URL.
      expect(refused[0]).toMatch(/^(Timeout|MemberExists|PeerUrlExists)$/);
      expect(await made()).toHaveLength(1);
      await expect.poll(() => add().catch(codeOf)).toBe('PeerUrlExists');
    } finally {
      for (const { id } of await made()) await client.cluster.memberRemove(id);
    }
  });

  test('a learner tells its status and refuses the member list', async () => {
    const learner = b.client();
    expect((await learner.maintenance.status()).isLearner).toBe(true);
    await expect(learner.cluster.memberList()).rejects.toMatchObject({ code: 'NotSupportedForLearner' });
    const local = await learner.kv.range({ key: Uint8Array.of(1), serializable: true });
    expect(local.count).toBe(0n);
    await expect(learner.kv.range({ key: Uint8Array.of(1) })).rejects.toMatchObject({ code: 'NotSupportedForLearner' });
  });

  test('operator rule 12: /health calls a learner healthy, /readyz names non_learner', async () => {
    expect((await b.endpoints('metrics').health()).ok).toBe(true);
    const ready = await b.endpoints('metrics').readyz();
    expect(ready.ok).toBe(false);
    expect(ready.text).toContain('[-]non_learner');
    expect((await b.endpoints('metrics').livez()).ok).toBe(true);
    expect((await a.endpoints('metrics').readyz()).ok).toBe(true);
  });

  test('/version is answered on the peer port, with the cluster version', async () => {
    await expect.poll(() => b.endpoints('peer').version()).toEqual({ server: '3.6.16', cluster: '3.6.0' });
  });

  test('operator rule 24: promotions follow each other without a wait', async () => {
    for (const member of [b, c]) {
      const id = await idOf(member);
      // Never for the health of the others, which delays additions.
      await patiently(() => client.cluster.memberPromote(id), ['LearnerNotReady']);
    }
    const { members } = await client.cluster.memberList();
    expect(members.map(({ isLearner }) => isLearner)).toEqual([false, false, false]);
    // The member itself learns it a moment after the leader.
    await expect.poll(async () => (await b.endpoints('metrics').readyz()).ok).toBe(true);
  });

  test('a voter, or an unknown member, cannot be promoted', async () => {
    const id = await idOf(b);
    await expect(client.cluster.memberPromote(id)).rejects.toMatchObject({ code: 'MemberNotLearner' });
    await expect(client.cluster.memberPromote(1n)).rejects.toMatchObject({ code: 'MemberNotFound' });
  });

  test('a learner that never started is not promoted, and goes at once', async () => {
    const ghost = 'http://127.0.0.1:1';
    const { member } = await patiently(() => client.cluster.memberAdd({ peerUrls: [ghost], isLearner: true }));
    await expect(client.cluster.memberPromote(member.id)).rejects.toMatchObject({ code: 'LearnerNotReady' });
    await client.cluster.memberRemove(member.id);
    await expect(client.cluster.memberRemove(member.id)).rejects.toMatchObject({ code: 'MemberNotFound' });
  });
});

describe('leadership', () => {
  test('moves when the leader is asked, and only then', async () => {
    const { leader } = await client.maintenance.status();
    const ids = await Promise.all([a, b, c].map(async (member) => ({ member, id: await idOf(member) })));
    const present = ids.find(({ id }) => id === leader);
    const [next, other] = ids.filter(({ id }) => id !== leader);
    const target = next?.id ?? 0n;
    await expect(other?.member.client().maintenance.moveLeader(target)).rejects.toMatchObject({ code: 'NotLeader' });
    await present?.member.client().maintenance.moveLeader(target, { timeoutMs: 30_000 });
    expect((await present?.member.client().maintenance.status())?.leader).toBe(target);
  });
});

/** Our prediction for a change, requested from `a`, with these members connected for longer than 5 s or not at all. */
async function predict(change: Reconfig, dead: readonly EtcdProcess[]) {
  const { members } = await client.cluster.memberList();
  const down = new Set(dead.map(({ peerUrl }) => peerUrl));
  const seen = members.map(
    ({ id, name, isLearner, peerUrls }): ReconfigMember => ({
      id: formatId(id),
      voter: !isLearner,
      started: name !== '',
      connectedForMs: peerUrls.some((url) => down.has(url)) ? undefined : 60_000,
    }),
  );
  const servedBy = { id: formatId(await idOf(a)), version: versionOf('3.6.16') };
  return reconfigVerdict({ servedBy, members: seen }, change);
}

describe('operator rules 7 and 14: the prediction and etcd agree', () => {
  test('three voters, all connected: a learner is accepted', async () => {
    expect((await predict({ kind: 'addLearner' }, [])).accepted).toBe(true);
    const { member } = await patiently(() =>
      client.cluster.memberAdd({ peerUrls: ['http://127.0.0.1:3'], isLearner: true }),
    );
    await client.cluster.memberRemove(member.id);
  });

  test('three voters, one dead: no learner, no removal of a healthy one, but of the dead one', async () => {
    const [deadId, healthyId] = [await idOf(c), await idOf(b)];
    await c.stop('SIGKILL');
    // The server notices a lost peer by its heartbeat stream; until then it counts as connected.
    await expect
      .poll(() => client.cluster.memberAdd({ peerUrls: [nextUrl()], isLearner: true }).then(undoAdd, codeOf), {
        timeout: 60_000,
        interval: 200,
      })
      .toBe('Unhealthy');
    expect(await predict({ kind: 'addLearner' }, [c])).toMatchObject({ accepted: false, code: 'Unhealthy' });

    expect(await predict({ kind: 'remove', id: formatId(healthyId) }, [c])).toMatchObject({ code: 'Unhealthy' });
    await expect(client.cluster.memberRemove(healthyId)).rejects.toMatchObject({ code: 'Unhealthy' });

    expect((await predict({ kind: 'remove', id: formatId(deadId) }, [c])).accepted).toBe(true);
    await client.cluster.memberRemove(deadId);
    expect((await client.cluster.memberList()).members).toHaveLength(2);
  });

  test("without quorum a linearizable list times out, the member's own view does not", async () => {
    await b.stop('SIGKILL');
    await expect(client.cluster.memberList({ timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'Timeout' });
    expect((await client.cluster.memberList({ linearizable: false })).members).toHaveLength(2);
    expect((await client.maintenance.status()).version).toBe('3.6.16');
    const put = client.kv.put({ key: Uint8Array.of(1), value: Uint8Array.of(1) }, { timeoutMs: 500 });
    await expect(put).rejects.toMatchObject({ code: 'Timeout', outcomeUnknown: true });
  });

  test('a member that returns restores quorum', async () => {
    await b.start();
    await expect.poll(() => client.cluster.memberList().then(({ members }) => members.length, codeOf)).toBe(2);
  });
});

test('operator rule 2: with the default limit a second learner is one too many', async () => {
  const lone = await (await lab.member()).start({});
  const plain = lone.client();
  await plain.cluster.memberAdd({ peerUrls: ['http://127.0.0.1:1'], isLearner: true });
  const second = plain.cluster.memberAdd({ peerUrls: ['http://127.0.0.1:2'], isLearner: true });
  await expect(second).rejects.toMatchObject({ code: 'TooManyLearners' });
});

let port = 10;

/** A new URL each time: one that is added again within a second of its removal gets the removed ID. */
function nextUrl(): string {
  return `http://127.0.0.1:${port++}`;
}

function codeOf(error: unknown): string {
  return isEtcdError(error) ? error.code : String(error);
}

async function undoAdd({ member }: { readonly member: Member }): Promise<string> {
  await client.cluster.memberRemove(member.id);
  return 'accepted';
}
