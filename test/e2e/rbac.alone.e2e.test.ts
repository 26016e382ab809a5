// SPDX-License-Identifier: Apache-2.0
/** The operator's rights, held against what it really calls. Runs after the other files: it looks at what they did, too. */
import { type Place, type Right, rights } from '@etcd-operator/tools/deploy';
import { expect, test } from 'vitest';
import { type RecordedCall, recordedCalls } from './testing/audit-log.ts';
import { theCluster } from './testing/cluster.ts';
import { startLocalVolumes, storageClass } from './testing/local-volumes.ts';
import { etcdCluster, OperatorScene } from './testing/operator-scene.ts';
import { untilTrue } from './testing/until.ts';

/** Service accounts of scenes with an operator, as `namespace:name`. */
const isOperator = (account: string) =>
  /^(operator|operator-life|tls|trouble|drained|used-rights|adoption)-\d+-\d+:default$/.test(account);

const ofTheOperator = rights.filter(({ programs }) => programs.includes('etcd-operator'));

const fits = (right: Right, { group, resource, name }: RecordedCall) =>
  right.group === group && right.resource === resource && (!right.names || right.names.includes(name));

/** Does with small clusters whatever takes a right of its own. */
async function doEverything(here: OperatorScene): Promise<void> {
  await using _volumes = await startLocalVolumes(here.scene.cluster);
  const persistentVolumeClaimSpec = {
    storageClassName: storageClass,
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
  await here.change('one', { podDisruptionBudget: false, pod: { resources: { requests: { cpu: '20m' } } } });
  await here.scene.kubectl('wait', '--for=delete', 'pdb/one', '--timeout=180s');
  await here.change('one', { size: 1 });
  await here.untilHealthy('one', 1);
  await here.change('one', { version: '3.7.3' });
  await here.untilHealthy('one', 1, ({ versions }) => versions.every((version) => version === '3.7.3'));
}

/** What the operator may do and has not done, but for what ordinary days do not need. */
function idleVerbs(calls: readonly RecordedCall[]): readonly string[] {
  return ofTheOperator
    .filter(({ place }) => places.includes(place))
    .flatMap((right) => {
      const used = new Set(calls.filter((call) => fits(right, call)).map(({ verb }) => verb));
      const idle = right.verbs.filter((verb) => !used.has(verb) && right.rarely?.[verb] === undefined);
      return idle.map((verb) => `${verb} ${right.group}/${right.resource}`);
    });
}

const places: readonly Place[] = ['watched', 'own', 'definitions'];

test('the operator uses all of its rights', async () => {
  await using here = await OperatorScene.open('used-rights');
  await doEverything(here);
  let unused: readonly string[] | undefined;
  await untilTrue('every verb was used', async () => {
    const calls = await recordedCalls(here.scene.cluster, (account) => account.startsWith(`${here.scene.namespace}:`));
    unused = idleVerbs(calls);
    return unused.length === 0;
  }).catch(() => undefined);
  expect(unused).toEqual([]);
});

test('and no operator of this run was ever refused, or called what the table does not name', async () => {
  const calls = await recordedCalls(await theCluster(), isOperator);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  const unknown = calls.filter(
    (call) => !ofTheOperator.some((right) => fits(right, call) && right.verbs.some((verb) => verb === call.verb)),
  );
  expect(unknown).toEqual([]);
});
