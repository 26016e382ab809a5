// SPDX-License-Identifier: Apache-2.0
/** A reconciler with the same steps on both sides: two reads from caches, one apply of the status. */

import { etcdClusters } from '@etcd-operator/operator';
import { buildController, createManager, done, exponentialPerKey } from '@operator-parts/controller-runtime';
import { configMaps, pods } from '@operator-parts/kube';
import { clientOfEnvironment, cpuSeconds, flag, serve } from './serve.ts';

const manager = createManager({ client: await clientOfEnvironment(), freeze: false });
const clusters = manager.informer(etcdClusters.resource);
const settings = manager.informer(configMaps);
const caches = [clusters, settings, ...(flag('with-pods') === 'true' ? [manager.informer(pods)] : [])];
let reconciles = 0;
let writes = 0;

buildController(manager, {
  name: 'bench',
  concurrency: Number(flag('concurrency')),
  rateLimiter: exponentialPerKey(),
})
  .forKind(etcdClusters.resource)
  .complete(async (request, context) => {
    reconciles++;
    const cluster = clusters.lister.get(request);
    if (!cluster) return done();
    const phase = settings.lister.get({ ...request, name: 'settings' })?.data?.['phase'];
    if (cluster.status?.observedGeneration === cluster.metadata?.generation) return done();
    writes++;
    const observedGeneration = cluster.metadata?.generation;
    const status = { observedGeneration, phase, readySize: cluster.spec.size };
    const options = { fieldManager: 'bench', force: true };
    await context.client.resource(etcdClusters.resource).status.apply(request, { metadata: request, status }, options);
    return done();
  });
void manager.run(new AbortController().signal);
await Promise.all(caches.map((cache) => cache.whenSynced()));
await serve(() => ({ cpu: cpuSeconds(), reconciles, writes }));
