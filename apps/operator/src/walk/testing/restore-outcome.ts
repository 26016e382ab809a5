// SPDX-License-Identifier: Apache-2.0
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import { fieldsOf, type JsonFields } from '../../api/json-fields.ts';
import type { RestoreFacts, RestoreObservation } from '../../restore/observation.ts';
import { restoreFacts } from '../../restore/observe/restore-facts.ts';
import { planRestore } from '../../restore/plan/plan.ts';
import { modelSource } from '../../restore/testing/model-source.ts';
import { clusterOutcome } from './cluster-outcome.ts';
import { everyGrant } from './every-grant.ts';
import { everySecret, storeFor } from './store-outcome.ts';
import type { Outcome } from './walk-kind.ts';

export const restoreBase = {
  etcdCluster: { name: 'walk' },
  backupStorageType: 'S3',
  s3: { path: 'walk/s3', awsSecret: 'walk' },
};

const source = { ...modelSource, verified: 'Manifest' } as const;
const idle = { kind: 'idle' } as const;

/** What the operator does with the spec of a new EtcdRestore whose EtcdCluster does not exist. */
export async function restoreOutcome(spec: JsonFields): Promise<Outcome> {
  const restore = {
    ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdRestore', spec },
    metadata: { name: 'walk', namespace: 'default', uid: 'walk-uid', generation: 1 },
  } as unknown as EtcdRestore;
  const facts = restoreFacts(restore);
  const plans = [seen(facts), seen({ ...facts, source })].map((one) => planRestore(one, 1_000_000));
  const failed = plans.find(({ report }) => report?.phase === 'Failed');
  if (failed?.report && !facts.survivor && !facts.prefixes)
    return { refusal: failed.report.reason, made: {}, kept: {} };
  const { readSecret, names } = everySecret();
  const { backupStorageType = '', encryption, clusterSpec } = restore.spec;
  try {
    const isFromMembers = facts.survivor !== undefined || facts.cloneOf !== undefined;
    const store = isFromMembers ? {} : await storeFor(backupStorageType, restore.spec, encryption, readSecret);
    const cluster = clusterSpec && (await clusterOutcome(fieldsOf(clusterSpec)));
    const { acceptWithoutHash, ttlSecondsAfterFinished } = restore.spec;
    return {
      refusal: cluster?.refusal ?? '',
      made: { facts: { ...facts, clusterSpec: undefined }, store, names, cluster },
      kept: { acceptWithoutHash, ttlSecondsAfterFinished },
    };
  } catch (error) {
    // A restore would report this error when it reads the backup.
    return { refusal: String(error), made: {}, kept: {} };
  }
}

function seen(restore: RestoreFacts): RestoreObservation {
  return {
    ...{ restore, cluster: undefined, grants: everyGrant, pods: [], otherOwnerPods: [], volumes: [], seed: undefined },
    ...{
      hasSecret: false,
      endedFor: 0,
      jobs: { inspect: idle, verify: idle, save: idle, deliver: idle, compare: idle, write: idle },
    },
  };
}
