// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';
import { apiServerAddress } from '../network/addresses.ts';
import { systemPriorities } from '../registry/other/classes.ts';
import type { Core } from './core.ts';
import { createStored } from './system-writer.ts';

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * What every cluster has from the start: four namespaces, two priority classes and the Service of the API server
 * itself.
 */
export function createInitialObjects(core: Core): void {
  for (const name of namespaces) create(core, '', 'v1', 'namespaces', name, { metadata: { name } });
  for (const [name, { value, description }] of Object.entries(systemPriorities)) {
    const object = { metadata: { name, generation: 1 }, value, description, preemptionPolicy: 'PreemptLowerPriority' };
    create(core, 'scheduling.k8s.io', 'v1', 'priorityclasses', name, object);
  }
  create(core, '', 'v1', 'services', 'default/kubernetes', {
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: apiServerAddress[core.ipFamilies[0]],
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  });
}

function create(core: Core, group: string, version: string, plural: string, key: string, object: JsonObject): void {
  const resource = core.registry.find(group, version, plural);
  if (!resource) throw new Error(`the captured API has no ${plural}`);
  createStored(core, resource, key, object);
}
