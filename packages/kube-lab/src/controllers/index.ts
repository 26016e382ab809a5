// SPDX-License-Identifier: Apache-2.0
/**
 * What kube-controller-manager and kube-scheduler do in a real cluster, as far as operators notice. Each controller is a
 * folder of its own: pure functions that say what should be, and a loop that writes the difference through the API.
 */
import type { Client } from '@etcd-operator/kube';
import type { Clock, Logger, Random } from '@etcd-operator/ports';
import type { StartController } from './controller.ts';
import { startEndpointsController } from './endpoints/endpoints-controller.ts';
import { ApiEventRecorder } from './event-recorder.ts';
import { namespaceDefaultsController } from './namespaces/namespace-defaults.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import type { SharedCaches } from './shared-caches.ts';
import type { Disks } from './storage/disks.ts';
import { storageController } from './storage/storage-controller.ts';

function controllers(disks: Disks, caPem: string): Readonly<Record<string, StartController>> {
  return {
    'default-scheduler': startScheduler,
    'endpoint-controller': startEndpointsController,
    'persistentvolume-controller': storageController(disks),
    'namespace-defaults': namespaceDefaultsController(caPem),
  };
}

/** Starts all controllers. Returns the way to stop them. */
export function startControllers(options: {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly timeFactor: number;
  readonly disks: Disks;
  /** The API server's certificate authority. */
  readonly caPem: string;
}): () => void {
  const running = Object.entries(controllers(options.disks, options.caPem)).map(([component, start]) =>
    start({ ...options, events: new ApiEventRecorder({ ...options, component }) }),
  );
  return () => {
    for (const controller of running) controller.close();
  };
}
