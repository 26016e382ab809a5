// SPDX-License-Identifier: Apache-2.0
import { formatId, networkDialer } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { isKubeError, services } from '@operator-parts/kube';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupSpec } from '../../../api/etcd-backup.ts';
import { type EtcdClusterSpec, etcdClusters } from '../../../api/etcd-cluster.ts';
import { installCrd } from '../../../api/install-crd.ts';
import { annotations, clusterLabels, group, labels } from '../../../api/names.ts';
import { BackupLab } from '../../../testing/backup-lab.ts';

let ground: BackupLab;
/** The port of the process behind each address, and the addresses that were connected to. */
const ports = new Map<string, number>();
const dialled: string[] = [];

beforeAll(async () => {
  const network = {
    resolve: async () => {
      throw new Error('no name is looked up');
    },
    dial: (({ host }, signal) => {
      dialled.push(host);
      return networkDialer({ host: '127.0.0.1', port: ports.get(host) ?? 1 }, signal);
    }) as typeof networkDialer,
  };
  ground = await BackupLab.start({ operator: { clusterWide: true, network } });
  const client = ground.lab.client();
  const { signal } = new AbortController();
  await installCrd(etcdClusters, { client, clock: systemClock, log: silentLogger, signal });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/** Creates an EtcdCluster as its operator would leave it, with this process as its member. Resolves with its UID. */
async function clusterOf(name: string, member: EtcdProcess, spec: Partial<EtcdClusterSpec> = {}): Promise<string> {
  const clusters = ground.lab.client().resource(etcdClusters.resource);
  const made = await clusters.create({
    apiVersion: `${group}/v1beta2`,
    kind: 'EtcdCluster',
    metadata: { name, namespace: 'default' },
    spec: { size: 1, ...spec },
  });
  const { clusterId } = await member.client().maintenance.status();
  const status = { clusterID: formatId(clusterId), incarnation: 1 };
  await clusters.status.patch({ name, namespace: 'default' }, { type: 'merge', patch: { status } });
  return made.metadata?.uid ?? '';
}

const ownedBy = (name: string, uid: string) => ({
  labels: { ...clusterLabels(name), [labels.node]: name },
  ownerReferences: [{ apiVersion: `${group}/v1beta2`, kind: 'EtcdCluster', name, uid, controller: true }],
});

/** The spec of a backup of this EtcdCluster. */
function backupOf(name: string, key = name): EtcdBackupSpec {
  const { etcdEndpoints: _, ...store } = ground.toS3(key, []);
  return { ...store, clusterRef: { name } };
}

describe('clusterRef', () => {
  test("leads to the cluster's own members, and to no other pod with its name, its labels or its Service", async () => {
    const [member, impostor] = [await ground.etcd(), await ground.etcd()];
    await member.client().kv.put({ key: Buffer.from('precious'), value: Buffer.from('data') });
    const uid = await clusterOf('kept', member);
    await ground.pod('kept-1', '10.244.3.1', ownedBy('kept', uid));
    await ground.pod('labelled-alike', '10.244.3.2', { labels: clusterLabels('kept') });
    const other = await clusterOf('other', impostor);
    await ground.pod('of-another', '10.244.3.3', { ...ownedBy('other', other), labels: clusterLabels('kept') });
    const previous = ownedBy('kept', uid);
    await ground.pod('next', '10.244.3.4', {
      ...previous,
      labels: { ...previous.labels, [labels.incarnation]: '2' },
    });
    await ground.pod('started', '10.244.3.5', {
      ...ownedBy('kept', uid),
      annotations: { [annotations.startedByRestore]: 'r' },
    });
    const spec = { selector: { app: 'impostor' }, ports: [{ port: 2379 }] };
    await ground.lab
      .client()
      .resource(services)
      .create({ metadata: { name: 'kept-client', namespace: 'default' }, spec });
    ports.set('10.244.3.1', member.clientPort);
    for (const last of [2, 3, 4, 5]) ports.set(`10.244.3.${last}`, impostor.clientPort);
    await ground.create('kept', backupOf('kept'));
    expect(await ground.succeeded('kept')).toMatchObject({ etcdRevision: 2 });
    expect(new Set(dialled)).toEqual(new Set(['10.244.3.1']));
  });

  test('does not take the data of another cluster that answers at the address of a member', async () => {
    const [member, impostor] = [await ground.etcd(), await ground.etcd()];
    const uid = await clusterOf('moved', member);
    await ground.pod('moved-1', '10.244.4.1', ownedBy('moved', uid));
    ports.set('10.244.4.1', impostor.clientPort);
    await ground.create('moved', backupOf('moved'));
    const { Reason } = await ground.status('moved', ({ attempts }) => (attempts ?? 0) > 0);
    expect(Reason).toContain('pod/moved-1');
    expect(Reason).toContain('this endpoint belongs to cluster');
  });

  test('brings the login of the cluster', async () => {
    const member = await ground.etcd();
    const uid = await clusterOf('closed', member, { auth: { secret: 'closed-login' } });
    const { auth } = member.client();
    await auth.roleAdd('root');
    await auth.userAdd('root', 'MARKER-password');
    await auth.userGrantRole('root', 'root');
    await auth.enable();
    await ground.pod('closed-1', '10.244.5.1', ownedBy('closed', uid));
    ports.set('10.244.5.1', member.clientPort);
    await ground.create('closed', backupOf('closed'));
    const { Reason = '' } = await ground.status('closed', ({ attempts }) => (attempts ?? 0) > 0);
    expect(Reason).toContain('secret/closed-login does not exist');
    await ground.secret('closed-login', { username: 'root', password: 'MARKER-password' });
    await ground.create('closed-again', backupOf('closed', 'closed-again'));
    await ground.succeeded('closed-again');
    expect(JSON.stringify([ground.log, await ground.get('closed-again')])).not.toContain('MARKER-password');
  });

  test('waits for a cluster that is created after it', async () => {
    await ground.create('early', backupOf('early'));
    const { conditions } = await ground.status('early', ({ attempts }) => (attempts ?? 0) > 0);
    expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ reason: 'ClusterMissing' });
    const member = await ground.etcd();
    const uid = await clusterOf('early', member);
    await ground.pod('early-1', '10.244.6.1', ownedBy('early', uid));
    ports.set('10.244.6.1', member.clientPort);
    await ground.succeeded('early');
  });

  test.each([{ etcdEndpoints: ['http://x:2379'] }, { clientTLSSecret: 'x' }, { auth: { secret: 'x' } }])(
    'excludes %j',
    async (more) => {
      const refused = await ground.create('both', { ...backupOf('kept'), ...more }).catch((error: unknown) => error);
      expect(isKubeError(refused, 'Invalid')).toBe(true);
      expect(String(refused)).toContain(
        'clusterRef cannot be set together with etcdEndpoints, clientTLSSecret or auth',
      );
    },
  );
});
