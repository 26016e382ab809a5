// SPDX-License-Identifier: Apache-2.0
import type { ConfigMap, Container, Volume } from '@etcd-operator/kube';
import { parse } from 'yaml';

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

/**
 * Reads containers and volumes out of the ConfigMap. Whether a container makes sense in all its fields is for the API server to
 * judge, which looks at the whole Pod afterwards. Throws a `SidecarError`.
 */
export function readSidecar(namespace: string, configMap: ConfigMap | undefined): Sidecar {
  const name = `${namespace}/${configName}`;
  if (!configMap) throw new SidecarError(name, 'does not exist');
  const text = configMap.data?.[configKey];
  if (text === undefined) throw new SidecarError(name, `has no key "${configKey}"`);
  const { containers = [], volumes = [], ...others } = mapping(name, text);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new SidecarError(name, `has "${unknown}" in its ${configKey}: only containers and volumes are known`);
  }
  return {
    containers: named<Container>(name, 'containers', containers),
    volumes: named<Volume>(name, 'volumes', volumes),
  };
}

function mapping(name: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    const [problem] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new SidecarError(name, `is not YAML in its ${configKey}: ${problem}`, { cause });
  }
  if (isMapping(value)) return value;
  throw new SidecarError(name, `must hold containers and volumes in its ${configKey}`);
}

/** Items are merged by their names, so each must have one. */
function named<T>(name: string, field: string, items: unknown): readonly T[] {
  if (!Array.isArray(items)) throw new SidecarError(name, `must hold a list as ${field}`);
  for (const [index, item] of items.entries()) {
    if (isMapping(item) && typeof item['name'] === 'string' && item['name'] !== '') continue;
    throw new SidecarError(name, `has no name in ${field}[${index}]`);
  }
  return items as readonly T[];
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
