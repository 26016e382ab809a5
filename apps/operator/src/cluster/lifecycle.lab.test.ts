// SPDX-License-Identifier: Apache-2.0
import { services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loseOnePod, memberIds } from '../testing/lose-one-pod.ts';
import { OperatorLab } from '../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const names = async (cluster: string) => (await ground.pods(cluster)).map((pod) => pod.metadata?.name ?? '').sort();

describe('a cluster without volumes', () => {
  test('[43] three members come up and serve (C-20)', async () => {
    await ground.create('plain', { size: 3 });
    const { status } = await ground.settled('plain');
    expect(status?.phase).toBe('Running');
    expect(status?.memberDetails?.map(({ role }) => role).sort()).toEqual(['Follower', 'Follower', 'Leader']);
    expect(status?.currentVersion).toBe('3.6.16');
    await ground.put('plain', 'a', '1');
    expect(await ground.read('plain', 'a')).toBe('1');
  });

  test('[49] a deleted pod is replaced by a fresh member, data intact (C-25)', async () => {
    await loseOnePod(ground, 'plain');
    expect(await ground.read('plain', 'a')).toBe('1');
  });

  test('[33] a deleted Service is back within seconds', async () => {
    const key = { namespace: 'default', name: 'plain-client' };
    await ground.lab.client().resource(services).delete(key);
    const back = await ground.until('Service', async () => {
      const { items } = await ground.lab
        .client()
        .resource(services)
        .list({ namespace: 'default', fieldSelector: 'metadata.name=plain-client' });
      return items[0];
    });
    expect(back.spec?.ports?.map(({ port }) => port)).toEqual([2379]);
  });

  test('[50] a paused cluster is not even healed, and resumes (C-21)', async () => {
    await ground.change('plain', { paused: true });
    await ground.until('paused', async () => ((await ground.get('plain')).status?.controlPaused ? true : undefined));
    const [victim = ''] = await names('plain');
    await ground.deletePod(victim, 0);
    await ground.until('victim gone', async () => ((await names('plain')).includes(victim) ? undefined : true));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await names('plain')).toHaveLength(2);
    await ground.change('plain', { paused: false });
    await ground.settled('plain');
    expect(await names('plain')).toHaveLength(3);
  });

  test('[59] fault 21: two of three gone: quorum loss is reported within seconds and nothing is touched', async () => {
    const [first = '', second = '', third = ''] = await names('plain');
    await Promise.all([first, second].map((name) => ground.deletePod(name, 0)));
    const available = await ground.until('QuorumLost', async () => {
      const condition = (await ground.get('plain')).status?.conditions?.find(({ type }) => type === 'Available');
      return condition?.status === 'False' ? condition : undefined;
    });
    expect(available.reason).toBe('QuorumLost');
    expect(available.message).toContain('If the data is gone, see runbook quorum-lost.');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await names('plain')).toEqual([third]);
  });

  test('[25] recreated under the same name it is a new cluster', async () => {
    const old = await ground.get('plain');
    await ground.delete('plain');
    await ground.until('pods gone', async () => ((await names('plain')).length === 0 ? true : undefined));
    await ground.create('plain', { size: 1 });
    const fresh = await ground.settled('plain');
    expect(fresh.status?.clusterID).not.toBe(old.status?.clusterID);
    expect(await ground.read('plain', 'a')).toBeUndefined();
  });
});

describe('a cluster with volumes', () => {
  const spec = {
    size: 3,
    pod: {
      persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '512Mi' } } },
    },
  } as const;

  test('comes up on volumes of its own (C-24)', async () => {
    await ground.create('kept', spec);
    await ground.settled('kept');
    await ground.put('kept', 'a', '1');
    expect(await ground.read('kept', 'a')).toBe('1');
  });

  test('[58] fault 26: a deleted pod comes back as the same member', async () => {
    const before = await memberIds(ground, 'kept');
    const [victim = ''] = await names('kept');
    const uid = (await ground.pods('kept')).find((pod) => pod.metadata?.name === victim)?.metadata?.uid;
    await ground.deletePod(victim);
    await ground.until('new pod', async () => {
      const pod = (await ground.pods('kept')).find((candidate) => candidate.metadata?.name === victim);
      return pod && pod.metadata?.uid !== uid ? true : undefined;
    });
    await ground.settled('kept');
    expect(await memberIds(ground, 'kept')).toEqual(before);
  });

  test('[57] all pods gone: all come back with their data', async () => {
    const before = await memberIds(ground, 'kept');
    await Promise.all((await names('kept')).map((name) => ground.deletePod(name, 0)));
    await ground.until('QuorumLost', async () =>
      (await ground.get('kept')).status?.readySize === 0 ? true : undefined,
    );
    await ground.settled('kept');
    expect(await memberIds(ground, 'kept')).toEqual(before);
    expect(await ground.read('kept', 'a')).toBe('1');
  });
});
