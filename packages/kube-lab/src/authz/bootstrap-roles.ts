// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../json/json.ts';
import type { Core } from '../server/core.ts';
import { createStored } from '../server/system-writer.ts';

interface BootstrapObject extends JsonObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: JsonObject;
}

type BootstrapRoles = Readonly<Record<string, readonly BootstrapObject[]>>;

let captured: BootstrapRoles | undefined;

const group = 'rbac.authorization.k8s.io';

/**
 * Creates the roles and bindings that every cluster has: cluster-admin, admin, edit, view, and those of system
 * components.
 */
export function createBootstrapRoles(core: Core): void {
  captured ??= JSON.parse(readFileSync(new URL('./bootstrap-roles.json', import.meta.url), 'utf8')) as BootstrapRoles;
  for (const [plural, objects] of Object.entries(captured)) {
    const resource = core.registry.find(group, 'v1', plural);
    if (!resource) continue;
    for (const { name, namespace, labels, ...rest } of objects) {
      const metadata = {
        name,
        ...(namespace ? { namespace } : {}),
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      };
      createStored(core, resource, namespace ? `${namespace}/${name}` : name, { metadata, ...rest });
    }
  }
}
