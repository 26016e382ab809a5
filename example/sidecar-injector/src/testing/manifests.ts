// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Client,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  type KubeObject,
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  pods,
  type Resource,
  roleBindings,
  roles,
  serviceAccounts,
  services,
} from '@operator-parts/kube';
import { parseAllDocuments } from 'yaml';

const resources: readonly Resource[] = [
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  mutatingWebhookConfigurations,
  pods,
  roleBindings,
  roles,
  serviceAccounts,
  services,
];

/** The objects in a YAML file of this folder, such as `deploy/rbac.yaml`. */
function manifest(path: string): readonly KubeObject[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');
  return parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as KubeObject);
}

/** Like `kubectl apply -f`. */
export async function apply(client: Client, path: string): Promise<void> {
  for (const object of manifest(path)) {
    const resource = resources.find(({ kind }) => kind === object.kind);
    if (!resource) throw new Error(`there is no resource for the kind ${object.kind} of ${path}`);
    await client.resource(resource).apply(object, { fieldManager: 'test' });
  }
}

/** The configuration of deploy/webhook.yaml with a port of loopback instead of a Service. */
export function localConfiguration(port: number, failurePolicy: 'Fail' | 'Ignore'): MutatingWebhookConfiguration {
  const [object] = manifest('deploy/webhook.yaml') as readonly MutatingWebhookConfiguration[];
  const webhooks = (object?.webhooks ?? []).map((webhook) => ({
    ...webhook,
    failurePolicy,
    clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service?.path}` },
  }));
  return { ...object, webhooks };
}
