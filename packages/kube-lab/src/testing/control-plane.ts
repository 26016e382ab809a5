// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@operator-parts/kube';
import { type Clock, type Random, silentLogger } from '@operator-parts/ports';
import { createStorageClasses } from '../controllers/bootstrap.ts';
import { startControllers } from '../controllers/index.ts';
import { SharedCaches } from '../controllers/shared-caches.ts';
import type { ApiServer } from '../server/api-server.ts';

/**
 * Starts the lab's scheduler and controllers for an API server without nodes, under any clock: for tests that simulate
 * the nodes. Resolves with a function that stops them.
 */
export async function startControlPlane(
  server: ApiServer,
  options: { readonly clock: Clock; readonly random: Random },
): Promise<() => void> {
  const client = createClient(server.transport({ user: 'control-plane', groups: ['system:masters'] }), options);
  await createStorageClasses(client);
  const caches = new SharedCaches(server.feed);
  const nothing = () => Promise.resolve();
  const disks = { create: nothing, expand: nothing, remove: nothing, path: () => undefined };
  return startControllers({ ...options, client, caches, log: silentLogger, timeFactor: 1, disks, caPem: 'ca' });
}
