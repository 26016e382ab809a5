// SPDX-License-Identifier: Apache-2.0
/**
 * The operator's rights compared with its actual calls. Runs after the other files, because it includes their calls.
 */
import { type Place, rights } from '@etcd-operator/tools/deploy';
import { idleVerbs, refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import { expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { theCluster } from './testing/cluster.ts';
import { startLocalVolumes } from './testing/local-volumes.ts';
import { etcdCluster, nothingLost, OperatorScene } from './testing/scenes/operator-scene.ts';
import { untilTrue } from './testing/until.ts';

/**
 * Test namespaces have names like `topic-1-2`; the default account there is an operator of the walk-through's files.
 */
const isOperator = (account: string) => /-\d+-\d+:default$/.test(account);
/** The example controllers use the same packages and have their own rights. */
const isOurs = (account: string) => !/:(network-controller|sidecar-injector)$/.test(account);

const ofTheOperator = rights.filter(({ programs }) => programs.includes('etcd-operator'));

/** Performs every operation that needs a separate right, with small clusters. */
async function doEverything(here: OperatorScene): Promise<void> {
  await using volumes = await startLocalVolumes(here.scene.cluster);
  const persistentVolumeClaimSpec = {
    storageClassName: volumes.storageClass,
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '64Mi' } },
  };
  await here.scene.kubectl('create', 'secret', 'generic', 'password', '--from-literal=username=root');
  const pod = { persistentVolumeClaimSpec, resources: { requests: { cpu: '10m' } } };
  await here.scene.create(
    etcdCluster('one', { size: 3, version: '3.6.16', pod }),
    etcdCluster('other', { size: 1, version: '3.6.16', auth: { secret: 'password' } }),
  );
  await here.untilHealthy('one', 3);
  const history = await here.whileWriting('one', async () => {
    await here.change('one', { podDisruptionBudget: false, pod: { resources: { requests: { cpu: '20m' } } } });
    await here.scene.kubectl('wait', '--for=delete', 'pdb/one', '--timeout=180s');
    await here.change('one', { size: 1 });
    await here.untilHealthy('one', 1);
    await here.change('one', { version: '3.7.3' });
    await here.untilHealthy('one', 1, ({ versions }) => versions.every((version) => version === '3.7.3'));
  });
  expect(history).toMatchObject(nothingLost);
}

const places: readonly Place[] = ['watched', 'secrets', 'own', 'definitions'];

test('the operator uses all of its rights', async () => {
  await using here = await OperatorScene.open('used-rights');
  await doEverything(here);
  let unused: readonly string[] | undefined;
  await untilTrue('every verb was used', async () => {
    const calls = await recordedCalls(here.scene.cluster, (account) => account.startsWith(`${here.scene.namespace}:`));
    unused = idleVerbs(
      calls,
      ofTheOperator.filter(({ place }) => places.includes(place)),
    );
    return unused.length === 0;
  }).catch(() => undefined);
  expect(unused).toEqual([]);
});

test('and no operator of this run was ever refused, or called what the table does not name', async () => {
  const calls = await recordedCalls(await theCluster(), isOperator);
  expect(calls.length).toBeGreaterThan(0);
  expect(refusedCalls(calls)).toEqual([]);
  expect(unknownCalls(calls, ofTheOperator)).toEqual([]);
});

test('and no program that was started in another way called what the table does not name', async () => {
  expect(unknownCalls(await recordedCalls(await theCluster(), isOurs), rights)).toEqual([]);
});
