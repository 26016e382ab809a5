// SPDX-License-Identifier: Apache-2.0

import { operatorImageName } from '@etcd-operator/operator';
import type { ClusterRoleBinding, Pod } from '@operator-parts/kube';
import type { Lab } from '@operator-parts/kube-lab';
import { applyObjects } from './apply-objects.ts';
import { namespace } from './example-cluster.ts';
import { staying } from './object-store.ts';

const operators = ['etcd-backup-operator', 'etcd-restore-operator'] as const;

export interface StoreOperatorOptions {
  readonly lab: Lab;
  /** Folder of the host from which the restore operator may read backups. */
  readonly kept: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs the backup and the restore operator as pods of the lab: they reach members and stores by name, as in any
 * cluster.
 */
export async function startStoreOperators({ lab, kept, signal }: StoreOperatorOptions): Promise<void> {
  await applyObjects([rights, ...operators.map((name) => podOf(name, kept))], {
    transport: lab.server.transport(),
    signal,
  });
}

const rights: ClusterRoleBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'playground-operators' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
};

function podOf(name: (typeof operators)[number], kept: string | undefined): Pod {
  const takesFolder = kept !== undefined && name === 'etcd-restore-operator';
  const own = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { name } },
    spec: {
      tolerations: [...staying],
      containers: [
        {
          name,
          image: operatorImageName,
          command: [`/usr/local/bin/${name}`, ...(takesFolder ? [`-backup-directory=${kept}`] : [])],
          env: [own('MY_POD_NAMESPACE', 'metadata.namespace'), own('MY_POD_NAME', 'metadata.name')],
        },
      ],
    },
  };
}
