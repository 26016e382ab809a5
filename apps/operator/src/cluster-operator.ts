// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@operator-parts/controller-runtime';
import { etcdClusters } from './api/etcd-cluster.ts';
import { Chaos } from './chaos.ts';
import { addClusterController } from './cluster/controller.ts';
import type { PodGrants } from './cluster/grants/pod-grants.ts';
import { type OperatorOptions, prepareOperator, runOperator } from './prepare-operator.ts';

/** Options of an etcd-operator process. */
export interface ClusterOperatorOptions extends OperatorOptions {
  /** Reads the log of a pod that has ended. */
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  readonly healthInterval?: number;
  /** Which pods EtcdClusters may have. @default all pods that do not weaken the restricted Pod Security Standard, with every image */
  readonly grants?: PodGrants;
  /** 1 or 2: deletes random member pods. @default 0, which deletes no pods */
  readonly chaosLevel?: number;
}

/** Runs the etcd-operator until the signal aborts. */
export async function runEtcdOperator(options: ClusterOperatorOptions, signal: AbortSignal): Promise<void> {
  await runOperator(options, addEtcdOperator, signal);
}

/** Adds the etcd-operator to a manager that has not been started yet. */
export async function addEtcdOperator(options: ClusterOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { clusterWide = false, chaosLevel: level = 0 } = options;
  const { watched: namespace = options.namespace } = options;
  const { manager, events, coreosOperator, scope } = await prepareOperator(
    'etcd-operator',
    etcdClusters,
    options,
    signal,
  );
  if (level === 1 || level === 2) {
    const { client, clock, random, log } = manager;
    manager.add(new Chaos({ client, clock, random, log, namespace, level }));
  }
  addClusterController(manager, {
    scope,
    canReadNodes: clusterWide,
    events,
    coreosOperator,
    readLog: options.readLog,
    ...(options.grants && { grants: options.grants }),
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  return manager;
}
