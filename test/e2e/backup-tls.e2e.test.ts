// SPDX-License-Identifier: Apache-2.0
/**
 * Backup and restore of a TLS cluster, with the three Deployments of the chart. Each has its own account, so that the
 * API server's audit log shows which rights each program used.
 */
import { rights } from '@etcd-operator/tools/deploy';
import { idleVerbs, refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { secureCluster, staticTls } from './testing/cluster-certificates.ts';
import { BackupScene } from './testing/scenes/backup-scene.ts';
import { chart, helm } from './testing/scenes/manifests.ts';
import { etcdCluster } from './testing/scenes/operator-scene.ts';
import { untilTrue } from './testing/until.ts';

const name = 'secured';
let here: BackupScene;

beforeAll(async () => {
  here = await BackupScene.open('backup-tls', name);
  const release = ['etcd', chart, `--namespace=${here.scene.namespace}`, '--skip-crds', '--wait', '--timeout=220s'];
  const one = ['etcdOperator', 'backupOperator', 'restoreOperator'].map((key) => `--set=${key}.replicaCount=1`);
  await helm(here.scene, 'install', ...release, '--set=clusterWide=false', '--set=separateDeployments=true', ...one);
  here.trust = await secureCluster(here.scene, name);
  await here.scene.create(etcdCluster(name, { size: 3, version: '3.6.16', TLS: staticTls }));
  await here.untilHealthy();
});

afterAll(() => here?.[Symbol.asyncDispose]());

test('a backup is taken over TLS, with the certificate that the backup names (C-30)', async () => {
  await here.put('foo', 'bar');
  await here.whileWriting(async () => {
    await here.createBackup('one', 'secured/one');
    const status = await here.untilSucceeded('etcdbackup', 'one');
    expect(status).toMatchObject({ etcdVersion: '3.6.16' });
    expect(await here.store.keys()).toContain('secured/one');
  });
});

test('a restore brings back exactly what was in the backup, and its members speak TLS as before (C-31)', async () => {
  await here.put('foo', 'changed');
  await here.put('later', 'yes');
  await here.createRestore('secured/one');
  await here.untilSucceeded('etcdrestore', name);
  await here.untilHealthy();
  await here.whileWriting(async () => {
    expect(await here.read('foo')).toBe('bar');
    expect(await here.read('later')).toBeUndefined();
  });
});

test.each(['etcd-backup-operator', 'etcd-restore-operator'] as const)(
  'the %s did this with its rights, and used all of them',
  async (program) => {
    const { scene } = here;
    const account = `${scene.namespace}:etcd-${program}`;
    const table = rights.filter(
      ({ programs, place }) => programs.includes(program) && ['watched', 'secrets', 'own'].includes(place),
    );
    const calls = () => recordedCalls(scene.cluster, (one) => one === account);
    let unused: readonly string[] = [];
    await untilTrue('every verb was used', async () => {
      unused = idleVerbs(await calls(), table);
      return unused.length === 0;
    }).catch(() => undefined);
    expect(unused).toEqual([]);
    expect(refusedCalls(await calls())).toEqual([]);
    expect(unknownCalls(await calls(), table)).toEqual([]);
  },
);
