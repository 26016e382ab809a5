// SPDX-License-Identifier: Apache-2.0

import { TestAuthority } from '@etcd-operator/tools';
import { type PersistentVolumeClaim, secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';

describe('a cluster is restored', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const claims = (cluster: string) => lab.claims(cluster);

  test('C-50 D17 [95] operator rule 5: on volumes, without a quorum: new volumes that bear the identity, and the old ones are kept', async () => {
    const { clusters } = lab;
    const persistentVolumeClaimSpec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    } as const;
    await clusters.create('stored', { size: 3, version: '3.6.16', pod: { persistentVolumeClaimSpec } });
    await clusters.settled('stored');
    await lab.fill('stored', 20);
    await lab.snapshot('stored', 'stored.db');
    const saved = await lab.contents('stored');
    await clusters.put('stored', 'later', 'x');
    const old = await claims('stored');
    await clusters.stopOperator();
    for (const pod of (await clusters.pods('stored')).slice(0, 2))
      await clusters.deletePod(pod.metadata?.name ?? '', 0);
    clusters.startOperator();
    // The running member cannot tell whether the others were ahead of it.
    await lab.restore('stored', 'stored.db', { safetySnapshot: 'IfPossible' });
    const status = await lab.succeeded('stored');
    expect(status.safetySnapshot).toMatchObject({ path: expect.any(String) });
    await clusters.settled('stored');
    expect((await lab.contents('stored')).keys).toEqual(saved.keys);
    const isKept = ({ metadata }: PersistentVolumeClaim) => metadata?.labels?.[labels.keptByRestore] !== undefined;
    const all = await claims('stored');
    const now = all.filter((claim) => !isKept(claim));
    expect(now).toHaveLength(3);
    const uids = (list: readonly PersistentVolumeClaim[]) => new Set(list.map(({ metadata }) => metadata?.uid));
    expect(uids(all.filter(isKept))).toEqual(uids(old));
    for (const { metadata } of now) expect(metadata?.labels?.[labels.incarnation]).toBe('2');
    const { metadata, status: after } = await clusters.get('stored');
    expect(after).toMatchObject({ clusterID: status.clusterID, incarnation: 2 });
    expect(metadata?.annotations).toMatchObject({
      [annotations.clusterId]: status.clusterID,
      [annotations.incarnation]: '2',
    });
    await clusters.until('the identity is on all pods and volumes', async () => {
      const present = (await claims('stored')).filter((claim) => !isKept(claim));
      const objects = [...present, ...(await clusters.pods('stored'))];
      const known = objects.filter((one) => one.metadata?.annotations?.[annotations.clusterId] === status.clusterID);
      return objects.length === 6 && known.length === 6 ? true : undefined;
    });
  });

  test('[90] with TLS between members and for clients', async () => {
    const { clusters } = lab;
    const authority = await TestAuthority.create('lab');
    const names = ['*.safe.default.svc', '*.safe.default.svc.cluster.local', 'safe-client.default.svc', 'localhost'];
    const { cert, key } = await authority.issue({ names });
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const data = { 'tls.crt': encode(cert), 'tls.key': encode(key), 'ca.crt': encode(authority.ca) };
    await clusters.lab
      .client()
      .resource(secrets)
      .create({ metadata: { name: 'tls', namespace: 'default' }, data });
    const TLS = { static: { member: { peerSecret: 'tls', serverSecret: 'tls' }, operatorSecret: 'tls' } };
    await clusters.create('safe', { size: 1, version: '3.6.16', TLS });
    await clusters.settled('safe');
    await lab.restore('safe', 'stored.db');
    const { clusterID, revision } = await lab.succeeded('safe');
    const after = await clusters.settled('safe');
    expect(after.status).toMatchObject({ clusterID, incarnation: 2 });
    expect(after.status?.memberDetails?.[0]?.revision).toBe(revision);
  });

  test('operator rule 23: with authentication enabled: refused without credentials, rolled back with wrong ones, restored with the right ones', async () => {
    const { clusters } = lab;
    const kube = clusters.lab.client().resource(secrets);
    const login = (name: string, password: string) => {
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const data = { username: encode('root'), password: encode(password) };
      return kube.create({ metadata: { name, namespace: 'default' }, data });
    };
    await login('right', 'correct horse');
    await login('wrong', 'battery staple');
    await clusters.create('locked', { size: 1, version: '3.6.16' });
    await clusters.settled('locked');
    await clusters.put('locked', 'foo', 'bar');
    {
      using member = await clusters.member('locked');
      await member.auth.userAdd('root', 'correct horse');
      await member.auth.roleAdd('root');
      await member.auth.userGrantRole('root', 'root');
      await lab.snapshot('locked', 'open.db');
      await member.auth.enable();
    }
    const locked = await databaseWithAuth('locked');
    await clusters.delete('locked');
    const clusterSpec = { size: 1, version: '3.6.16' };
    await lab.restore('no-login', locked, { clusterSpec });
    expect((await lab.ended('no-login')).reason).toContain('spec.auth');
    await lab.restore('bad-login', locked, { clusterSpec: { ...clusterSpec, auth: { secret: 'wrong' } } });
    expect((await lab.ended('bad-login')).reason).toContain(
      'the restored cluster rejects the credentials in spec.auth',
    );
    await expect(clusters.get('bad-login')).rejects.toThrow('not found');
    await lab.restore('good-login', locked, { clusterSpec: { ...clusterSpec, auth: { secret: 'right' } } });
    expect(await lab.succeeded('good-login')).toMatchObject({ source: { authEnabled: true } });
  });

  /** A snapshot of a cluster whose authentication is enabled, taken as root. */
  async function databaseWithAuth(cluster: string): Promise<string> {
    await lab.snapshot(cluster, 'locked.db', { name: 'root', password: 'correct horse' });
    return 'locked.db';
  }

  test('fault 8: a node that reboots afterwards: nothing is restored a second time, nothing is lost', async () => {
    const { clusters } = lab;
    await lab.restore('rebooted', 'stored.db', { clusterSpec: { size: 1, version: '3.6.16' } });
    await lab.succeeded('rebooted');
    await clusters.settled('rebooted');
    await clusters.put('rebooted', 'after', 'the restore');
    const [pod] = await clusters.pods('rebooted');
    await clusters.lab.faults.node.reboot(pod?.spec?.nodeName ?? '');
    await clusters.until(
      'back with its data',
      () =>
        clusters.read('rebooted', 'after').then(
          (value) => (value === 'the restore' ? value : undefined),
          () => undefined,
        ),
      180_000,
      async () =>
        JSON.stringify(
          (await clusters.pods('rebooted')).map(({ status }) => status),
          undefined,
          1,
        ),
    );
    const [back] = await clusters.pods('rebooted');
    expect(back?.metadata?.uid).toBe(pod?.metadata?.uid);
  });

  test('several at once, each from its own source, and no key of a restore is left', async () => {
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      await lab.restore(name, 'stored.db', { clusterSpec: { size: 1, version: '3.6.16' } });
    }
    for (const name of names) expect(await lab.succeeded(name)).toMatchObject({ succeeded: true });
    const { items } = await lab.clusters.lab.client().resource(secrets).list({ namespace: 'default' });
    expect(items.filter(({ metadata }) => metadata?.name?.includes('-restore-'))).toEqual([]);
  });
});
