// SPDX-License-Identifier: Apache-2.0
import { embedded, type StructuralSchema } from '@operator-parts/crd';
import type { ConfigMap, Container, Volume } from '@operator-parts/kube';
import { parse } from 'yaml';
import { problemIn } from './shape.ts';

/** The addition to every selected Pod. */
export interface Sidecar {
  readonly containers: readonly Container[];
  readonly volumes: readonly Volume[];
}

/** The ConfigMap is invalid. The message names it, and says what to fix. */
export class SidecarError extends Error {
  constructor(name: string, problem: string, options?: ErrorOptions) {
    super(`ConfigMap ${name} ${problem}`, options);
    this.name = 'SidecarError';
  }
}

/** The name of the ConfigMap, and its key with the YAML. */
export const configName = 'envoy-initializer';
const configKey = 'config';

/** The allowed content of the YAML: containers and volumes, with the API server's schema. */
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
 * Parses containers and volumes from the ConfigMap, and checks that every field is known and has its type. Otherwise a
 * field that the API server cannot decode would be an internal error for the creator of a Pod, and a directive such as
 * `$patch` would change the Pod's own fields. Throws a `SidecarError`. The API server validates values later, with the
 * whole Pod.
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
