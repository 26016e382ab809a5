// SPDX-License-Identifier: Apache-2.0
/**
 * Runs each program with exactly the rights that deploy/ gives it, on an API server that denies everything else. Cluster-wide; the
 * end-to-end tier does the same for one namespace.
 */
import { join } from 'node:path';
import { type Place, type ProgramName, rights } from '@etcd-operator/tools/deploy';
import { idleVerbs, type RecordedCall, refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import { namespaces, secrets } from '@operator-parts/kube';
import { createLogger, systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { agentImageName } from './restore/testing/agent-image.ts';
import { RestoreLab } from './restore/testing/restore-lab.ts';
import { runEtcdRestoreOperator } from './restore-operator.ts';
import { limitedAccount } from './testing/api-server/limited-account.ts';
import { BackupLab } from './testing/backup-lab.ts';
import { OperatorLab } from './testing/operator-lab.ts';

const everywhere: readonly Place[] = ['watched', 'secrets', 'cluster', 'everywhere', 'definitions'];
const own: readonly Place[] = ['own'];
const patience = 240_000;

function expectFitting(program: ProgramName, calls: readonly RecordedCall[]): void {
  const table = rights.filter(({ programs }) => programs.includes(program));
  expect(refusedCalls(calls)).toEqual([]);
  expect(unknownCalls(calls, table)).toEqual([]);
  expect(idleVerbs(calls, table)).toEqual([]);
}

test('the etcd-backup-operator uses its rights, all of them, and needs no other', async () => {
  await using ground = await BackupLab.start({ startOperator: false });
  const { client, calls } = await limitedAccount(ground.lab, 'etcd-backup-operator', { everywhere, own });
  ground.startOperator({ client, clusterWide: true, leaderElection: true });
  const member = await ground.etcd();
  await ground.create('once', ground.toS3('once', [member]));
  await ground.succeeded('once', patience);
  await ground.stopOperator();
  expectFitting('etcd-backup-operator', calls);
});

test('where Secrets of a namespace are not granted, a backup there says so, and others are made', async () => {
  await using ground = await BackupLab.start({ startOperator: false });
  const { client } = await limitedAccount(ground.lab, 'etcd-backup-operator', {
    everywhere: everywhere.filter((place) => place !== 'secrets'),
    own: ['own', 'secrets'],
  });
  ground.startOperator({ client, clusterWide: true });
  await ground.lab
    .client()
    .resource(namespaces)
    .create({ metadata: { name: 'other' } });
  await ground.secret('aws', ground.awsFiles(), 'other');
  const member = await ground.etcd();
  await ground.create('near', ground.toS3('near', [member]));
  await ground.create('far', ground.toS3('far', [member]), { namespace: 'other' });
  await ground.succeeded('near', patience);
  const { Reason } = await ground.status('far', ({ Reason: reason }) => reason !== undefined, patience, 'other');
  expect(Reason).toContain('secrets "aws" is forbidden');
});

test('the etcd-operator uses its rights, all of them, and needs no other', async () => {
  await using ground = await OperatorLab.start({ nodes: 1, versions: ['3.6'] });
  await ground.stopOperator();
  const { client, calls } = await limitedAccount(ground.lab, 'etcd-operator', { everywhere, own });
  ground.startOperator({ client, clusterWide: true, leaderElection: true });
  const data = { username: Buffer.from('root').toString('base64') };
  await ground.lab
    .client()
    .resource(secrets)
    .create({ metadata: { name: 'login', namespace: 'default' }, data });
  const storage = { requests: { storage: '64Mi' } };
  const persistentVolumeClaimSpec = { accessModes: ['ReadWriteOnce'], resources: storage } as const;
  const pod = { persistentVolumeClaimSpec, resources: { requests: { cpu: '10m' } } };
  await ground.create('one', { size: 3, version: '3.6.16', pod });
  await ground.create('other', { size: 1, version: '3.6.16', auth: { secret: 'login' } });
  await ground.settled('one', patience);
  await ground.change('one', { podDisruptionBudget: false, pod: { ...pod, resources: { requests: { cpu: '20m' } } } });
  await ground.settled('one', patience);
  await ground.change('one', { size: 1 });
  await ground.settled('one', patience);
  await ground.stopOperator();
  expectFitting('etcd-operator', calls);
});

test('the etcd-restore-operator uses its rights, all of them, and needs no other', async () => {
  await using ground = await RestoreLab.start({ nodes: 1 });
  const { clusters, directory } = ground;
  await clusters.create('one', { size: 1, version: '3.6.16' });
  await clusters.settled('one', patience);
  await ground.fill('one', 3);
  await ground.snapshot('one', 'etcd.backup');
  await ground.stopOperator();
  const { client, calls } = await limitedAccount(clusters.lab, 'etcd-restore-operator', { everywhere, own });
  const stop = new AbortController();
  const log = createLogger({ clock: systemClock, level: 'debug', write: (record) => ground.log.push(record) });
  const ended = runEtcdRestoreOperator(
    {
      ...{ client, log, namespace: 'default', identity: 'limited', clusterWide: true, agentImage: agentImageName },
      scratchDirectory: join(directory, 'scratch'),
      storage: { directory },
      dial: clusters.paths.dial,
    },
    stop.signal,
  );
  ended.catch(() => undefined);
  await ground.restore('one', 'etcd.backup');
  await ground.succeeded('one', patience);
  stop.abort(new Error('the test stops the restore operator'));
  await ended.catch(() => undefined);
  expectFitting('etcd-restore-operator', calls);
});
