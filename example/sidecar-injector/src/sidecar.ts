// SPDX-License-Identifier: Apache-2.0
import { embedded, type StructuralSchema } from '@etcd-operator/crd';
import type { ConfigMap, Container, Volume } from '@etcd-operator/kube';
import { parse } from 'yaml';
import { problemIn } from './shape.ts';

/** What every chosen Pod gets. */
export interface Sidecar {
  readonly containers: readonly Container[];
  readonly volumes: readonly Volume[];
}

/** The ConfigMap does not say what to add. The message says which one, and what to put right. */
export class SidecarError extends Error {
  constructor(name: string, problem: string, options?: ErrorOptions) {
    super(`ConfigMap ${name} ${problem}`, options);
    this.name = 'SidecarError';
  }
}

/** The name of the ConfigMap, and the key in it that holds the YAML. */
export const configName = 'envoy-initializer';
const configKey = 'config';

/** What the YAML may hold: the containers and volumes of a Pod, as the API server knows them. */
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    containers: listOf(embedded('core/v1', 'Container').structural),
    volumes: listOf(embedded('core/v1', 'Volume').structural),
  },
};

function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
}

/**
 * Reads containers and volumes out of the ConfigMap, and sees to it that every field is known and of its type: what the API
 * server could not even decode would be an internal error to whoever creates a Pod, and a directive such as `$patch` would
 * change what the Pod itself says. Throws a `SidecarError`. Values are for the API server to judge, which looks at the whole Pod
 * afterwards.
 */
export function readSidecar(namespace: string, configMap: ConfigMap | undefined): Sidecar {
  const name = `${namespace}/${configName}`;
  if (!configMap) throw new SidecarError(name, 'does not exist');
  const text = configMap.data?.[configKey];
  if (text === undefined) throw new SidecarError(name, `has no key "${configKey}"`);
  const content = parsed(name, text);
  if (!isObject(content)) throw new SidecarError(name, `must hold containers and volumes in its ${configKey}`);
  const problem = problemIn(content, schema);
  if (problem !== undefined) throw new SidecarError(name, problem);
  const { containers = [], volumes = [] } = content;
  return { containers, volumes };
}

function parsed(name: string, text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const [problem] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new SidecarError(name, `is not YAML in its ${configKey}: ${problem}`, { cause });
  }
}

function isObject(value: unknown): value is Partial<Sidecar> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
