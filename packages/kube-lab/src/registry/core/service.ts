// SPDX-License-Identifier: Apache-2.0
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  ensureObject,
  equalJson,
  getIn,
  type JsonObject,
} from '../../json/json.ts';
import { ipErrors } from '../../validation/addresses.ts';
import { duplicate, type FieldError, invalid, required } from '../../validation/field-error.ts';
import { labelErrors } from '../../validation/names.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import { portErrors } from '../../validation/ports.ts';
import { keepField, restoreStatus } from '../reset-fields.ts';
import type { Strategy, WriteContext } from '../strategy.ts';
import { oneOf } from './container-validation.ts';
import { validatePort } from './probe-validation.ts';
import { allocate, validateAllocation } from './service-allocation.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** The defaults of a Service. */
export function serviceDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  spec['sessionAffinity'] ??= 'None';
  spec['type'] ??= 'ClusterIP';
  if (spec['sessionAffinity'] === 'ClientIP') {
    ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'] ??= 10_800;
  }
  for (const port of asObjects(spec['ports'])) {
    port['protocol'] ??= 'TCP';
    if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '') {
      if (port['port'] !== undefined) port['targetPort'] = port['port'];
    }
  }
  if (isReachedFromOutside(spec)) spec['externalTrafficPolicy'] ??= 'Cluster';
  if (spec['type'] !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster';
  if (spec['type'] === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
}

function isReachedFromOutside(spec: JsonObject): boolean {
  if (spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer') return true;
  return spec['type'] === 'ClusterIP' && asArray(spec['externalIPs']).length > 0;
}

/** Services: addresses and node ports are allocated here, and kept. */
export const serviceStrategy: Strategy = {
  validateName: labelErrors,
  prepareForCreate(object, context) {
    object['status'] = { loadBalancer: {} };
    allocate(object, context);
    warnHeadless(asObject(object['spec']) ?? {}, context);
  },
  prepareForUpdate(object, old, context) {
    restoreStatus(object, old);
    const spec = asObject(object['spec']) ?? {};
    const before = asObject(old['spec']) ?? {};
    if (spec['type'] === 'ExternalName' && before['type'] !== 'ExternalName') releaseAddress(spec, before);
    // The Service keeps allocated fields that the client leaves out.
    if (before['type'] !== 'ExternalName' && spec['type'] !== 'ExternalName') {
      for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) spec[key] ??= before[key];
    }
    keepNodePorts(spec, before);
    dropWithType(spec, before);
    allocate(object, context);
    warnHeadless(spec, context);
  },
  prepareForStatusUpdate(object, old) {
    keepField(object, old, 'spec');
  },
  validate: (object, context) => orElse(validateService(object), () => validateAllocation(object, context)),
  validateUpdate(object, old, context) {
    const errors = [
      ...validateAddressChange(object, old),
      ...validateClassChange(object, old),
      ...validateService(object),
    ];
    return orElse(errors, () => validateAllocation(object, context));
  },
};

/** Warns about fields that have no effect without a cluster IP. */
function warnHeadless(spec: JsonObject, { warn }: WriteContext): void {
  if (spec['clusterIP'] !== 'None') return;
  if (asArray(spec['externalIPs']).length > 0) warn('spec.externalIPs is ignored for headless services');
  if (spec['sessionAffinity'] !== 'None') warn('spec.SessionAffinity is ignored for headless services');
}

/** Allocations are validated only if there are no other errors. */
function orElse(errors: readonly FieldError[], next: () => readonly FieldError[]): readonly FieldError[] {
  return errors.length > 0 ? errors : next();
}

/** A Service that becomes an ExternalName releases its address. */
function releaseAddress(spec: JsonObject, before: JsonObject): void {
  for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) {
    if (equalJson(spec[key], before[key])) delete spec[key];
  }
}

function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  if (spec['type'] === 'ClusterIP' || spec['type'] === 'ExternalName') {
    // Node ports are released with the type that needs them.
    if (before['type'] !== spec['type']) for (const port of asObjects(spec['ports'])) delete port['nodePort'];
    return;
  }
  for (const port of asObjects(spec['ports'])) {
    const same = asObjects(before['ports']).find(
      (one) => one['port'] === port['port'] && one['protocol'] === port['protocol'],
    );
    if (same?.['nodePort'] !== undefined) port['nodePort'] ??= same['nodePort'];
  }
}

/** Fields of the former type are removed, unless the client changes them as well. */
function dropWithType(spec: JsonObject, before: JsonObject): void {
  const drop = (key: string) => {
    if (equalJson(spec[key], before[key])) delete spec[key];
  };
  if (before['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) drop('externalTrafficPolicy');
}

function validateService(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const ports = asObjects(spec['ports']);
  const isHeadless = spec['clusterIP'] === 'None';
  const isExternal = spec['type'] === 'ExternalName';
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless && !isExternal) errors.push(required('spec.ports'));
  if (isExternal && !spec['externalName']) errors.push(required('spec.externalName'));
  errors.push(
    ...validatePorts(ports),
    ...validateLabels(asObject(spec['selector']), 'spec.selector'),
    ...oneOf(spec['sessionAffinity'], 'spec.sessionAffinity', ['ClientIP', 'None']),
    ...validateAffinityTimeout(spec),
    ...oneOf(spec['type'], 'spec.type', types),
    ...oneOf(spec['internalTrafficPolicy'], 'spec.internalTrafficPolicy', ['Cluster', 'Local']),
    ...oneOf(spec['externalTrafficPolicy'], 'spec.externalTrafficPolicy', ['Cluster', 'Local']),
    ...asArray(spec['externalIPs']).flatMap((address, index) =>
      ipErrors(String(address)).map((detail) => invalid(`spec.externalIPs[${index}]`, address, detail)),
    ),
    ...asArray(spec['ipFamilies']).flatMap((family, index) =>
      oneOf(family, `spec.ipFamilies[${index}]`, ['IPv4', 'IPv6']),
    ),
    ...asArray(spec['clusterIPs'])
      .map(String)
      .filter((address) => address !== 'None' && address !== '')
      .flatMap((address, index) =>
        ipErrors(address).map((detail) => invalid(`spec.clusterIPs[${index}]`, address, detail)),
      ),
  );
  return errors;
}

const longestAffinity = 86_400;

function validateAffinityTimeout(spec: JsonObject): FieldError[] {
  const seconds = asNumber(getIn(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds'));
  if (spec['sessionAffinity'] !== 'ClientIP' || seconds === undefined) return [];
  if (seconds > 0 && seconds <= longestAffinity) return [];
  const detail = `must be greater than 0 and less than ${longestAffinity}`;
  return [invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)];
}

function validatePorts(ports: readonly JsonObject[]): FieldError[] {
  const names = new Set<string>();
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = asString(port['name']) ?? '';
    if (name === '' && ports.length > 1) errors.push(required(`${field}.name`));
    if (name !== '') errors.push(...labelErrors(name).map((detail) => invalid(`${field}.name`, name, detail)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    const number = asNumber(port['port']) ?? 0;
    errors.push(...portErrors(number).map((detail) => invalid(`${field}.port`, number, detail)));
    errors.push(...oneOf(port['protocol'], `${field}.protocol`, ['SCTP', 'TCP', 'UDP']));
    errors.push(...validatePort(port['targetPort'] ?? port['port'], `${field}.targetPort`));
    const key = `${String(port['protocol'])}/${number}`;
    if (seen.has(key)) errors.push(duplicate(field, shownPort(port)));
    seen.add(key);
    return errors;
  });
}

/** The duplicate part of a port, in the real server's format. */
function shownPort(port: JsonObject): JsonObject {
  const { protocol = 'TCP', port: number = 0 } = port;
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
}

function validateAddressChange(object: JsonObject, old: JsonObject): FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const before = asObject(old['spec']) ?? {};
  if (spec['type'] === 'ExternalName' || before['type'] === 'ExternalName') return [];
  if (!before['clusterIP'] || spec['clusterIP'] === before['clusterIP']) return [];
  return [invalid('spec.clusterIPs[0]', asArray(spec['clusterIPs']).map(String), 'may not change once set')];
}

function validateClassChange(object: JsonObject, old: JsonObject): FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const before = asObject(old['spec']) ?? {};
  if (spec['type'] !== 'LoadBalancer' || before['type'] !== 'LoadBalancer') return [];
  const name = spec['loadBalancerClass'] ?? null;
  if (equalJson(name, before['loadBalancerClass'] ?? null)) return [];
  return [invalid('spec.loadBalancerClass', name, 'may not change once set')];
}
