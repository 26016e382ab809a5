// SPDX-License-Identifier: Apache-2.0
import {
  createClient,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from '@operator-parts/kube';
import { adminIdentity } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { group } from '../../api/names.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { listedMembers } from './testing/listed-members.ts';
import { followerOf, isReplaced } from './testing/one-member.ts';
import { fastClock } from './testing/skewed-clocks.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const client = 'etcd-operator';
const key = (name: string | undefined) => ({ namespace: 'default', name: name ?? '' });
const faults = () => ground.lab.server.faults;
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();

describe('an API server that is not there', () => {
  test('fault 39: it cannot be reached while a member fails: nothing is changed in etcd, and all is mended afterwards', async () => {
    await ground.create('alone', { size: 3, pod: { replaceAfter: '3s' } });
    await ground.settled('alone');
    await ground.put('alone', 'a', '1');
    const before = await listedMembers(ground, 'alone');
    await ground.stopOperator();
    const { ended } = ground.startOperator({ leaderElection: true });
    await ground.change('alone', { pod: { replaceAfter: '3s', labels: { seen: 'yes' } } });
    await ground.until(
      'it leads',
      async () =>
        (await ground.pods('alone')).every(({ metadata }) => metadata?.labels?.['seen'] === 'yes') || undefined,
    );
    const { name, id } = await followerOf(ground, 'alone');
    const outage = faults().loseRequest({ client });
    faults().cutWatches({ client }, 'reset');
    const frozen = await ground.lab.faults.pod.freeze(key(name));
    let hasEnded = false;
    ended
      .catch(() => undefined)
      .finally(() => {
        hasEnded = true;
      });
    // It exits when it cannot renew its lease; Kubernetes would restart it.
    await ground.until(
      'it has ended',
      async () => {
        expect(await listedMembers(ground, 'alone')).toEqual(before);
        return hasEnded || undefined;
      },
      60_000,
    );
    outage.remove();
    expect(await listedMembers(ground, 'alone')).toEqual(before);
    ground.startOperator();
    await isReplaced(ground, 'alone', id);
    await frozen.heal().catch(() => undefined);
    await ground.settled('alone');
    expect(await ground.read('alone', 'a')).toBe('1');
  });
});

/** Whom a fault shows an old state. */
const lagging = { ...adminIdentity, client: 'lagging-operator' };

/** An operator that starts on the old state changes neither members nor pods, and no other does afterwards. */
async function expectUntouched(cluster: string, lag: { remove(): void }): Promise<void> {
  const before = { listed: await listedMembers(ground, cluster), uids: await uids(cluster) };
  ground.startOperator({ client: createClient(ground.lab.server.transport(lagging)) });
  const end = systemClock.monotonic() + 8_000;
  while (systemClock.monotonic() < end) {
    expect(await listedMembers(ground, cluster)).toEqual(before.listed);
    expect(await uids(cluster)).toEqual(before.uids);
    await systemClock.sleep(250);
  }
  await ground.stopOperator();
  lag.remove();
  ground.startOperator();
  await ground.settled(cluster);
  expect(await uids(cluster)).toEqual(before.uids);
}

describe('watches', () => {
  test('fault 40: watches stall while a member fails: the stalled watches are detected, and the member is replaced', async () => {
    await ground.create('quiet', { size: 3 });
    await ground.settled('quiet');
    await ground.stopOperator();
    // With this clock, 90 seconds pass in nine.
    ground.startOperator({ clock: fastClock(10) });
    await ground.change('quiet', { pod: { labels: { seen: 'yes' } } });
    await ground.until(
      'it has looked',
      async () =>
        (await ground.pods('quiet')).every(({ metadata }) => metadata?.labels?.['seen'] === 'yes') || undefined,
    );
    await ground.settled('quiet');
    const stall = faults().stallWatches({ client });
    const { name, id } = await followerOf(ground, 'quiet');
    await ground.deletePod(name, 0);
    await isReplaced(ground, 'quiet', id);
    stall.remove();
    await ground.stopOperator();
    ground.startOperator();
    await ground.settled('quiet');
    expect((await listedMembers(ground, 'quiet')).voters).toHaveLength(3);
  });

  test('fault 41: a cluster is deleted and created again while nothing is seen and versions are compacted: the new one is bootstrapped, by its own', async () => {
    await ground.create('recreated', { size: 1 });
    const old = await ground.settled('recreated');
    const blind = faults().error({ client, verb: ['list', 'watch'] }, { code: 503 });
    faults().cutWatches({ client }, 'reset');
    await ground.delete('recreated');
    await ground.until('no pods', async () => ((await ground.pods('recreated')).length === 0 ? true : undefined));
    const fresh = await ground.create('recreated', { size: 3 });
    faults().compact();
    blind.remove();
    const { status, metadata } = await ground.settled('recreated');
    expect(metadata?.uid).toBe(fresh.metadata?.uid);
    expect(status?.clusterID).not.toBe(old.status?.clusterID);
    expect((await listedMembers(ground, 'recreated')).clusterId).toBe(status?.clusterID);
  });

  test('fault 42: an operator that is shown an older state after its start removes and deletes nothing on it', async () => {
    await ground.create('past', { size: 3 });
    await ground.settled('past');
    const lag = faults().lag({ client: lagging.client, resource: 'pods', verb: ['list', 'watch'] }, 0, {
      staleReads: true,
    });
    lag.freeze();
    const { name, id } = await followerOf(ground, 'past');
    await ground.deletePod(name, 0);
    await isReplaced(ground, 'past', id);
    await ground.settled('past');
    await ground.put('past', 'a', '1');
    await ground.stopOperator();
    await expectUntouched('past', lag);
  });

  test('fault 42: an operator that is shown the smaller spec.size of before, and the members of now, removes none of them', async () => {
    await ground.create('grown', { size: 1 });
    await ground.settled('grown');
    const scope = { client: lagging.client, resource: `etcdclusters.${group}`, verb: ['list', 'watch'] } as const;
    const lag = faults().lag(scope, 0, { staleReads: true });
    lag.freeze();
    await ground.change('grown', { size: 3 });
    await ground.settled('grown');
    await ground.stopOperator();
    // After this time etcd itself no longer refuses to remove a member.
    await systemClock.sleep(6_000);
    await expectUntouched('grown', lag);
  });
});

describe('a server that refuses', () => {
  test('faults 43 and 44: what is written for one cluster is refused for as long as it takes: it is tried less and less often, others go on', async () => {
    const storms = [409, 429, 500].map((code) =>
      faults().error({ client, verb: ['update', 'patch'], name: /^stormy/, count: 5 }, { code }),
    );
    const poison = faults().error({ client, verb: ['update', 'patch'], name: /^stormy/ }, { code: 500 });
    await ground.create('stormy', { size: 1 });
    await ground.until('refused', async () => (poison.hits > 0 ? true : undefined));
    await ground.create('sound', { size: 3 });
    await ground.settled('sound');
    const hits = poison.hits;
    await systemClock.sleep(10_000);
    expect(poison.hits - hits).toBeLessThan(10);
    for (const storm of storms) expect(storm.hits).toBeGreaterThan(0);
    poison.remove();
    await ground.settled('stormy');
    // An operator whose writes fail does not prevent the deletion.
    const deaf = faults().error({ client, verb: ['update', 'patch', 'create'] }, { code: 500 });
    await ground.delete('stormy');
    await ground.until('gone', async () => ((await ground.pods('stormy')).length === 0 ? true : undefined));
    deaf.remove();
  });

  test('fault 43: a webhook that is down prevents every write, and no deletion', async () => {
    await ground.create('guarded', { size: 3 });
    await ground.settled('guarded');
    const down = ground.lab.client().resource(validatingWebhookConfigurations);
    await down.create(nobodyAnswers);
    await using after = new AsyncDisposableStack();
    after.defer(() => down.delete({ name: 'nobody-answers' }).then(() => undefined));
    await expect(ground.change('guarded', { size: 5 })).rejects.toThrow(/failed calling webhook/);
    // The operator cannot replace this pod.
    const [victim] = await ground.pods('guarded');
    await ground.deletePod(victim?.metadata?.name ?? '', 0);
    const first = ground.requests.length;
    await systemClock.sleep(10_000);
    const writes = ground.requests.slice(first).filter((one) => !/^(GET|WATCH) /.test(one));
    // Retries begin after 5 ms and wait twice as long each time: 11 of them fit into 10 s, whatever a reconciliation writes.
    for (const write of new Set(writes)) expect(writes.filter((one) => one === write).length).toBeLessThanOrEqual(12);
    expect(new Set(writes).size).toBeLessThanOrEqual(6);
    await ground.delete('guarded');
    await ground.until('gone', async () => ((await ground.pods('guarded')).length === 0 ? true : undefined));
  });
});

/** As most webhooks: they are asked about writes, and must not be left out. */
const nobodyAnswers: ValidatingWebhookConfiguration = {
  metadata: { name: 'nobody-answers' },
  webhooks: [
    {
      name: 'check.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/check' },
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [
        {
          apiGroups: ['*'],
          apiVersions: ['*'],
          resources: ['pods', 'persistentvolumeclaims', 'services', 'etcdclusters', 'etcdclusters/status'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
    },
  ],
};
