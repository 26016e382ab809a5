// SPDX-License-Identifier: Apache-2.0
/**
 * The controllers of kube-controller-manager and kube-scheduler, as far as operators depend on them. Each controller
 * has its own folder: pure functions that compute the desired state, and a loop that writes the difference through the
 * API.
 */
import type { Client } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { StartController } from './controller.ts';
import { startDaemonSetController } from './daemonset/daemonset-controller.ts';
import { startDeploymentController } from './deployment/deployment-controller.ts';
import { startDisruptionController } from './disruption/disruption-controller.ts';
import { startEndpointsController } from './endpoints/endpoints-controller.ts';
import { ApiEventRecorder } from './event-recorder.ts';
import { startCronJobController } from './job/cron-job-controller.ts';
import { startJobController } from './job/job-controller.ts';
import { rootCaPublisher } from './namespaces/root-ca-publisher.ts';
import { startNodeLifecycle } from './node-lifecycle/node-lifecycle.ts';
import { startPodCollector } from './node-lifecycle/pod-collector.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import type { SharedCaches } from './shared-caches.ts';
import { startStatefulSetController } from './statefulset/statefulset-controller.ts';
import type { Disks } from './storage/disks.ts';
import { storageController } from './storage/storage-controller.ts';
import { startReplicaSetController } from './workloads/replica-set.ts';

function controllers(disks: Disks, caPem: string): Readonly<Record<string, StartController>> {
  return {
    'default-scheduler': startScheduler,
    'endpoint-controller': startEndpointsController,
    'persistentvolume-controller': storageController(disks),
    'root-ca-cert-publisher': rootCaPublisher(caPem),
    'replicaset-controller': startReplicaSetController,
    'deployment-controller': startDeploymentController,
    'statefulset-controller': startStatefulSetController,
    'daemonset-controller': startDaemonSetController,
    'job-controller': startJobController,
    'cronjob-controller': startCronJobController,
    controllermanager: startDisruptionController,
    'node-controller': startNodeLifecycle,
    'pod-garbage-collector': startPodCollector,
  };
}

/** What all controllers share. */
export interface ControllersOptions {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly timeFactor: number;
  readonly disks: Disks;
  /** The API server's certificate authority. */
  readonly caPem: string;
}

/** Starts all controllers. Returns a function that stops them. */
export function startControllers(options: ControllersOptions): () => void {
  return start(options, controllers(options.disks, options.caPem));
}

/** Starts only what provides the lab's volumes, beside the controllers of a server elsewhere. */
export function startVolumes(options: ControllersOptions): () => void {
  return start(options, { 'persistentvolume-controller': storageController(options.disks) });
}

function start(options: ControllersOptions, chosen: Readonly<Record<string, StartController>>): () => void {
  const running = Object.entries(chosen).map(([component, startOne]) =>
    startOne({ ...options, events: new ApiEventRecorder({ ...options, component }) }),
  );
  return () => {
    for (const controller of running) controller.close();
  };
}
