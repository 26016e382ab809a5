// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import { ConfigError, type ConfigSource } from './config-source.ts';
import { expand } from './expansion.ts';
import { fieldValue, type PodRuntimeFacts } from './field-path.ts';
import { resourceValue } from './resource-field.ts';
import { serviceEnvironment } from './service-environment.ts';

type EnvVar = NonNullable<Container['env']>[number];
type EnvFrom = NonNullable<Container['envFrom']>[number];

/** The inputs of an environment. */
export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly where: PodRuntimeFacts;
  readonly config: ConfigSource;
}

/**
 * The environment of a container. It is computed each time the container starts, so that the next run sees a changed
 * annotation. Order, as in the real kubelet: Services of the namespace, `envFrom`, then `env`. A value in `env` may
 * refer to earlier variables. Throws a `ConfigError` if a referenced object is missing and not optional.
 */
export function containerEnvironment(input: EnvironmentInput): Readonly<Record<string, string>> {
  const { pod, container, config } = input;
  const namespace = pod.metadata?.namespace ?? '';
  const services = serviceEnvironment(config, namespace, pod.spec?.enableServiceLinks !== false);
  const result = new Map<string, string>(Object.entries(services));
  for (const source of container.envFrom ?? []) {
    for (const [name, value] of fromWhole(config, namespace, source)) result.set(name, value);
  }
  for (const variable of container.env ?? []) {
    const value = variableValue(input, variable, result);
    if (value !== undefined) result.set(variable.name, value);
  }
  return Object.fromEntries(result);
}

function variableValue(
  input: EnvironmentInput,
  variable: EnvVar,
  before: ReadonlyMap<string, string>,
): string | undefined {
  const { valueFrom } = variable;
  if (!valueFrom) return expand(variable.value ?? '', (name) => before.get(name));
  const { pod, container, where, config } = input;
  const namespace = pod.metadata?.namespace ?? '';
  if (valueFrom.fieldRef) {
    const value = fieldValue(pod, where, valueFrom.fieldRef.fieldPath);
    if (value === undefined) throw new ConfigError(`unsupported fieldPath: ${valueFrom.fieldRef.fieldPath}`);
    return value;
  }
  if (valueFrom.resourceFieldRef) return resourceValue(pod, container, valueFrom.resourceFieldRef);
  if (valueFrom.configMapKeyRef) {
    const { name = '', key, optional } = valueFrom.configMapKeyRef;
    return keyOf('ConfigMap', namespace, name, key, optional, config.configMap(namespace, name)?.data);
  }
  if (valueFrom.secretKeyRef) {
    const { name = '', key, optional } = valueFrom.secretKeyRef;
    const text = keyOf('Secret', namespace, name, key, optional, config.secret(namespace, name)?.data);
    return text === undefined ? undefined : decode(text);
  }
  return undefined;
}

function keyOf(
  kind: 'ConfigMap' | 'Secret',
  namespace: string,
  name: string,
  key: string,
  optional: boolean | undefined,
  data: Readonly<Record<string, string>> | undefined,
): string | undefined {
  const value = data && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined || optional) return value;
  if (!data) throw new ConfigError(`${kind.toLowerCase()} "${name}" not found`);
  throw new ConfigError(`couldn't find key ${key} in ${kind} ${namespace}/${name}`);
}

function fromWhole(config: ConfigSource, namespace: string, source: EnvFrom): readonly (readonly [string, string])[] {
  const { prefix = '', configMapRef, secretRef } = source;
  const reference = configMapRef ?? secretRef;
  if (!reference) return [];
  const { name = '', optional } = reference;
  const object = configMapRef ? config.configMap(namespace, name) : config.secret(namespace, name);
  if (!object) {
    if (optional) return [];
    throw new ConfigError(`${configMapRef ? 'configmap' : 'secret'} "${name}" not found`);
  }
  return Object.entries(object.data ?? {}).map(([key, value]) => [
    `${prefix}${key}`,
    secretRef ? decode(value) : value,
  ]);
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
