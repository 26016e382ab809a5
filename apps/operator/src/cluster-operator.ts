// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@etcd-operator/ports';
import { etcdClusters } from './api/etcd-cluster.ts';
import { installCrd } from './api/install-crd.ts';
import { Chaos } from './chaos.ts';
import { addClusterController } from './cluster/controller.ts';
import { OldOperator } from './old-operator.ts';
import { eventWriter, type OperatorOptions, operatorManager } from './operator-manager.ts';

/** Runs the etcd-operator until the signal ends it. Its first act is to install its CRD. */
export async function runEtcdOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { client, log, clock = systemClock } = options;
  if (options.createCrd ?? true) await installCrd(etcdClusters, { client, clock, log, signal });
  const manager = operatorManager(options, 'etcd-operator');
  const events = eventWriter(manager, 'etcd-operator', options.identity);
  const old = new OldOperator({ client, clock, log, namespace: options.namespace, lockName: 'etcd-operator' });
  await old.look(signal);
  manager.add(old);
  const level = options.chaosLevel ?? 0;
  if (level === 1 || level === 2) {
    manager.add(new Chaos({ client, clock, random: manager.random, log, namespace: options.namespace, level }));
  }
  addClusterController(manager, {
    clusterWide: options.clusterWide ?? false,
    canReadNodes: options.clusterWide ?? false,
    events,
    oldOperator: () => old.holder,
    readLog: options.readLog,
    ...(options.dial && { dial: options.dial }),
    ...(options.healthInterval !== undefined && { healthInterval: options.healthInterval }),
  });
  await manager.run(signal);
}
