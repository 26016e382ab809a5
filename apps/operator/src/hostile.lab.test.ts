// SPDX-License-Identifier: Apache-2.0
import { events, isKubeError, KubeError } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { etcdClusters } from './api/etcd-cluster.ts';
import { byHand, type HostileCluster, wrongTypes } from './testing/hostile-clusters.ts';
import { OperatorLab } from './testing/operator-lab.ts';

let ground: OperatorLab;
const hostile: readonly HostileCluster[] = [...byHand(), ...wrongTypes(300 - byHand().length)];
const refused = new Map<string, KubeError>();
const accepted: HostileCluster[] = [];

beforeAll(async () => {
  ground = await OperatorLab.start();
  await ground.create('sound', { size: 1 });
  await ground.settled('sound');
  await ground.put('sound', 'a', '1');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const clusters = () => ground.lab.client().resource(etcdClusters.resource);

/** What users can see about each object: its conditions and warnings. */
async function wordsAbout(): Promise<ReadonlyMap<string, string>> {
  const words = new Map<string, string>();
  for (const { metadata, status } of (await clusters().list({ namespace: 'default' })).items) {
    const unavailable = status?.conditions?.find(
      ({ type, status: value }) => type === 'Available' && value === 'False',
    );
    words.set(metadata?.name ?? '', unavailable?.message ?? '');
  }
  for (const { involvedObject, type, message } of (
    await ground.lab.client().resource(events).list({ namespace: 'default' })
  ).items) {
    const { name = '' } = involvedObject;
    if (type === 'Warning' && !words.get(name)) words.set(name, message ?? '');
  }
  return words;
}

describe('[9] [28] three hundred EtcdClusters with hostile specs', () => {
  test('each is taken, or refused with a sentence', async () => {
    for (const candidate of hostile) {
      try {
        await clusters().create(candidate.cluster);
        accepted.push(candidate);
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        refused.set(candidate.what, error);
      }
    }
    expect(hostile.length).toBe(300);
    expect(refused.size + accepted.length).toBe(300);
    for (const [what, error] of refused) {
      expect(isKubeError(error, 'Invalid', 'BadRequest', 'NotFound', 'MethodNotAllowed'), `${what}: ${error}`).toBe(
        true,
      );
      expect(`${what}: ${error.message}`.length).toBeGreaterThan(what.length + 20);
    }
    expect(refused.size).toBeGreaterThan(200);
  });

  test('a healthy cluster beside them is resized as if they were not there', async () => {
    await ground.change('sound', { size: 3 });
    const { status } = await ground.settled('sound');
    expect(status?.memberDetails).toHaveLength(3);
    expect(await ground.read('sound', 'a')).toBe('1');
  });

  test('each that was taken is reported', async () => {
    let unreported: readonly string[] = [];
    await ground.until(
      'all reported',
      async () => {
        const words = await wordsAbout();
        // An object whose owner never existed has been deleted by now, so nothing is reported about it.
        unreported = accepted
          .filter(({ cluster }) => words.get(cluster.metadata?.name ?? '') === '')
          .map(({ what }) => what);
        return unreported.length === 0 ? true : undefined;
      },
      180_000,
      async () => `silent: ${unreported.join(', ')}`,
    );
    expect(unreported).toEqual([]);
  });

  test('no unexpected error was thrown', () => {
    const unexpected = ground.log.filter(({ fields }) => fields['error'] instanceof TypeError);
    expect(unexpected.map(({ message, fields }) => `${message} ${String(fields['error'])}`)).toEqual([]);
  });
});

describe('D3: a member that was added by hand, under a name that is none of ours', () => {
  test('[61] is reported, and the cluster goes on', async () => {
    // etcd rejects membership changes for some seconds after the last member has connected.
    await ground.until('added', async () => {
      using member = await ground.member('sound');
      try {
        return await member.cluster.memberAdd({ peerUrls: ['http://nodash:2380'], isLearner: true });
      } catch (error) {
        if (String(error).includes('unhealthy cluster')) return undefined;
        throw error;
      }
    });
    const unmanaged = await ground.until('reported', async () =>
      (await ground.get('sound')).status?.conditions?.find(({ type }) => type === 'UnmanagedMembers'),
    );
    expect(unmanaged.message).toContain('nodash');
    await ground.put('sound', 'b', '2');
    expect(await ground.read('sound', 'b')).toBe('2');
  });
});
