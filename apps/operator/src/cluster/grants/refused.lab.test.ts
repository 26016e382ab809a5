// SPDX-License-Identifier: Apache-2.0
import { events, persistentVolumeClaims, pods, services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { noGrants } from './pod-grants.ts';

const privileged = { containerSecurityContext: { privileged: true } } as const;

describe('pods that the administrator has not allowed', () => {
  let ground: OperatorLab;
  beforeAll(async () => {
    ground = await OperatorLab.start({ nodes: 1 });
  });
  afterAll(() => ground?.[Symbol.asyncDispose]());

  const condition = async (name: string, type: string) =>
    (await ground.get(name)).status?.conditions?.find((candidate) => candidate.type === type);
  const refused = (name: string) => ground.until('refused', () => condition(name, 'SpecRefused'));
  const uids = async (name: string) =>
    (await ground.pods(name)).map(({ metadata, status }) => [
      metadata?.uid,
      status?.containerStatuses?.[0]?.containerID,
    ]);
  const warnings = async (name: string) =>
    (await ground.lab.client().resource(events).list({ namespace: 'default' })).items
      .filter(({ involvedObject, type }) => involvedObject.name === name && type === 'Warning')
      .map(({ reason }) => reason);

  test('of a new cluster are not created, nor anything else, and it says why', async () => {
    await ground.create('new', { size: 1, pod: privileged });
    expect(await refused('new')).toMatchObject({ status: 'True', reason: 'NotAllowed' });
    expect(await condition('new', 'Available')).toMatchObject({
      status: 'False',
      reason: 'NotAllowed',
      message: expect.stringContaining('-allow-privileged-pods=default'),
    });
    expect((await ground.get('new')).status?.phase).toBe('Failed');
    await ground.until('told', async () => ((await warnings('new')).includes('SpecRefused') ? true : undefined));
    const client = ground.lab.client();
    const mine = { namespace: 'default', labelSelector: 'etcd_cluster=new' };
    expect(await ground.pods('new')).toEqual([]);
    expect((await client.resource(services).list(mine)).items).toEqual([]);
    expect((await client.resource(persistentVolumeClaims).list(mine)).items).toEqual([]);
    // With a corrected spec the cluster starts.
    await ground.change('new', { pod: { containerSecurityContext: { privileged: false } } });
    await ground.settled('new');
    expect(await condition('new', 'SpecRefused')).toBeUndefined();
  });

  test('leave a running cluster as it is: it serves, is not restarted, and says why', async () => {
    await ground.create('running', { size: 1, pod: { updatePolicy: 'Replace' } });
    await ground.settled('running');
    await ground.put('running', 'a', '1');
    const before = await uids('running');
    await ground.change('running', { size: 3, pod: { updatePolicy: 'Replace', ...privileged } });
    expect(await refused('running')).toMatchObject({ reason: 'NotAllowed' });
    expect(await condition('running', 'Available')).toMatchObject({ status: 'True' });
    expect((await ground.get('running')).status?.phase).toBe('Running');
    // The next reconciliation leaves it as it is again.
    await ground.change('running', { size: 5 });
    await ground.until('looked at', async () => {
      const { metadata, status } = await ground.get('running');
      return status?.observedGeneration === metadata?.generation ? true : undefined;
    });
    expect(await uids('running')).toEqual(before);
    expect(await ground.read('running', 'a')).toBe('1');
  });

  test('are created once a flag allows them', async () => {
    await ground.stopOperator();
    ground.startOperator({ grants: { ...noGrants, privileged: ['default'] } });
    await ground.until('grown', async () =>
      (await ground.pods('running')).some(({ spec }) => spec?.containers[0]?.securityContext?.privileged)
        ? true
        : undefined,
    );
    expect(await condition('running', 'SpecRefused')).toBeUndefined();
  });

  test('are kept and repaired without the flag where they run already, and the condition says so', async () => {
    await ground.settled('running');
    await ground.stopOperator();
    ground.startOperator({ grants: noGrants });
    expect((await refused('running')).message).toContain('kept and repaired');
    const [victim] = await uids('running');
    const [pod] = await ground.pods('running');
    await ground.lab
      .client()
      .resource(pods)
      .delete({ namespace: 'default', name: pod?.metadata?.name ?? '' });
    await ground.until('replaced', async () => {
      const present = await uids('running');
      return present.every(([uid]) => uid !== victim?.[0]) ? true : undefined;
    });
    await ground.settled('running');
    expect(await ground.read('running', 'a')).toBe('1');
  });

  test('of an image from another repository neither, until it is one that the flag names', async () => {
    await ground.stopOperator();
    const repositories = ['quay.io/coreos/etcd', 'busybox'];
    ground.startOperator({ grants: { ...noGrants, repositories } });
    await ground.create('image', { size: 1, repository: 'quay.io/coreos/etcd-evil' });
    expect((await refused('image')).message).toContain('-allow-repositories');
    expect(await ground.pods('image')).toEqual([]);
    await ground.change('image', { repository: 'quay.io/coreos/etcd' });
    await ground.settled('image');
    const before = await uids('image');
    await ground.change('image', { repository: 'quay.io/coreos/etcd-evil' });
    expect((await refused('image')).message).toContain('spec.repository is quay.io/coreos/etcd-evil');
    expect(await uids('image')).toEqual(before);
  });
});
