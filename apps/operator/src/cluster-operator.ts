// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@etcd-operator/controller-runtime';
import { etcdClusters } from './api/etcd-cluster.ts';
import { Chaos } from './chaos.ts';
import { addClusterController } from './cluster/controller.ts';
import { type OperatorOptions, prepareOperator } from './prepare-operator.ts';

/** An etcd-operator's process. */
export interface ClusterOperatorOptions extends OperatorOptions {
  /** What a pod that ended has printed. */
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  readonly healthInterval?: number;
  /** 1 or 2 delete random member pods. @default 0, nothing */
  readonly chaosLevel?: number;
}

/** Runs the etcd-operator until the signal ends it. */
export async function runEtcdOperator(options: ClusterOperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = await addEtcdOperator(options, signal);
  await manager.run(signal);
}

/** The etcd-operator in a manager that has not been run yet. */
export async function addEtcdOperator(options: ClusterOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { client, namespace, clusterWide = false, chaosLevel: level = 0 } = options;
  const { manager, events, original } = await prepareOperator('etcd-operator', etcdClusters, options, signal);
  if (level === 1 || level === 2) {
    const { clock, random, log } = manager;
    manager.add(new Chaos({ client, clock, random, log, namespace, level }));
  }
  addClusterController(manager, {
    clusterWide,
    canReadNodes: clusterWide,
    events,
    oldOperator: original,
    readLog: options.readLog,
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  return manager;
}
