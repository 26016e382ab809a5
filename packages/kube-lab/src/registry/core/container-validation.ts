// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json/json.ts';
import { quantityNanos } from '../../schema/quantity-text.ts';
import {
  duplicate,
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../validation/field-error.ts';
import { labelErrors, qualifiedNameErrors } from '../../validation/names.ts';
import { descendingPathErrors } from '../../validation/paths.ts';
import { portErrors, portNameErrors } from '../../validation/ports.ts';
import { validateEnv, validateEnvFrom } from './env-validation.ts';
import { validateHandler, validateProbe } from './probe-validation.ts';
import { validateContainerSecurity } from './security-validation.ts';

/** The validation errors of one container. `volumes` are the names it may mount. */
export function validateContainer(container: JsonObject, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const name = asString(container['name']) ?? '';
  const image = asString(container['image']) ?? '';
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${field}.name`));
  else errors.push(...labelErrors(name).map((detail) => invalid(`${field}.name`, name, detail)));
  if (image === '') errors.push(required(`${field}.image`));
  else if (image !== image.trim()) {
    errors.push(invalid(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  }
  errors.push(
    ...validateLifecycle(container, field),
    ...validateProbes(container, field),
    ...validatePorts(asObjects(container['ports']), `${field}.ports`),
    ...asObjects(container['env']).flatMap((env, index) => validateEnv(env, `${field}.env[${index}]`)),
    ...validateEnvFrom(asObjects(container['envFrom']), `${field}.envFrom`),
    ...validateMounts(asObjects(container['volumeMounts']), `${field}.volumeMounts`, volumes),
    ...oneOf(container['imagePullPolicy'], `${field}.imagePullPolicy`, ['Always', 'IfNotPresent', 'Never']),
    ...validateResources(asObject(container['resources']) ?? {}, `${field}.resources`),
    ...oneOf(container['terminationMessagePolicy'], `${field}.terminationMessagePolicy`, messagePolicies),
    ...validateContainerSecurity(asObject(container['securityContext']), `${field}.securityContext`),
  );
  return errors;
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];

/** A value from a fixed set. */
export function oneOf(value: Json | undefined, field: string, allowed: readonly string[]): FieldError[] {
  if (typeof value !== 'string' || value === '' || allowed.includes(value)) return [];
  return [notSupported(field, value, allowed)];
}

function validateLifecycle(container: JsonObject, field: string): FieldError[] {
  const lifecycle = asObject(container['lifecycle']) ?? {};
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = asObject(lifecycle[hook]);
    return handler ? validateHandler(handler, `${field}.lifecycle.${hook}`) : [];
  });
}

function validateProbes(container: JsonObject, field: string): FieldError[] {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = asObject(container[name]);
    return probe ? validateProbe(probe, `${field}.${name}`, name !== 'readinessProbe') : [];
  });
}

function validatePorts(ports: readonly JsonObject[], field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const place = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const name = asString(port['name']) ?? '';
    if (name !== '') {
      errors.push(...portNameErrors(name).map((detail) => invalid(`${place}.name`, name, detail)));
      if (errors.length === 0 && names.has(name)) errors.push(duplicate(`${place}.name`, name));
      names.add(name);
    }
    const number = asNumber(port['containerPort']) ?? 0;
    if (number === 0) errors.push(required(`${place}.containerPort`));
    else errors.push(...portErrors(number).map((detail) => invalid(`${place}.containerPort`, number, detail)));
    const host = asNumber(port['hostPort']);
    if (host) errors.push(...portErrors(host).map((detail) => invalid(`${place}.hostPort`, host, detail)));
    errors.push(...oneOf(port['protocol'], `${place}.protocol`, ['SCTP', 'TCP', 'UDP']));
    return errors;
  });
}

function validateMounts(mounts: readonly JsonObject[], field: string, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const place = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const name = asString(mount['name']) ?? '';
    if (name === '') errors.push(required(`${place}.name`));
    else if (!volumes.has(name)) errors.push(fieldNotFound(`${place}.name`, name));
    const path = asString(mount['mountPath']) ?? '';
    if (path === '') errors.push(required(`${place}.mountPath`));
    else if (paths.has(path)) errors.push(invalid(`${place}.mountPath`, path, 'must be unique'));
    paths.add(path);
    // The real server names the list here, not the item.
    errors.push(...descendingPathErrors(asString(mount['subPath']) ?? '', `${field}.subPath`));
    return errors;
  });
}

const standardResources = new Set(['cpu', 'memory', 'ephemeral-storage']);

function validateResources(resources: JsonObject, field: string): FieldError[] {
  const limits = asObject(resources['limits']) ?? {};
  const requests = asObject(resources['requests']) ?? {};
  const errors: FieldError[] = [];
  for (const [list, values] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, amount] of Object.entries(values)) {
      errors.push(...validateAmount(name, amount, `${field}.${list}[${name}]`));
    }
  }
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined) continue;
    if ((quantityNanos(String(amount)) ?? 0n) > (quantityNanos(String(limit)) ?? 0n)) {
      errors.push(
        invalid(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${String(limit)}`),
      );
    }
  }
  return errors;
}

function validateAmount(name: string, amount: Json | undefined, field: string): FieldError[] {
  const errors = qualifiedNameErrors(name).map((detail) => invalid(field, name, detail));
  const isExtended = name.includes('/');
  if (!isExtended && !standardResources.has(name) && !name.startsWith('hugepages-')) {
    if (errors.length === 0) errors.push(invalid(field, name, 'must be a standard resource type or fully qualified'));
    errors.push(invalid(field, name, 'must be a standard resource for containers'));
  }
  const nanos = quantityNanos(String(amount)) ?? 0n;
  if (nanos < 0n) errors.push(invalid(field, amount, 'must be greater than or equal to 0'));
  if (isExtended && nanos % 1_000_000_000n !== 0n) errors.push(invalid(field, amount, 'must be an integer'));
  return errors;
}

/** Fields that only init containers must not have. */
export function validateInitContainer(container: JsonObject, field: string): FieldError[] {
  if (container['restartPolicy'] === 'Always') return [];
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((key) => container[key] !== undefined && asArray(container[key]).length >= 0)
    .map((key) => forbiddenField(`${field}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
}
