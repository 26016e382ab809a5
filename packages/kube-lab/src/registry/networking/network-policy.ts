// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { cidrErrors, isStrictSubset } from '../../validation/cidrs.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { portErrors, portNameErrors } from '../../validation/ports.ts';
import { oneOf } from '../core/container-validation.ts';
import { countedStrategy } from '../counted.ts';
import type { Strategy } from '../strategy.ts';

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

/** A policy applies to ingress, and to egress if it has egress rules. */
export function networkPolicyDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  for (const [direction] of directions) {
    for (const rule of asObjects(spec[direction])) {
      for (const port of asObjects(rule['ports'])) port['protocol'] ??= 'TCP';
    }
  }
  if (asArray(spec['policyTypes']).length > 0) return;
  spec['policyTypes'] = asArray(spec['egress']).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

function validatePolicy(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const rules = directions.flatMap(([direction, peers]) =>
    asObjects(spec[direction]).flatMap((rule, index) => {
      const field = `spec.${direction}[${index}]`;
      return [
        ...asObjects(rule['ports']).flatMap((port, at) => validatePort(port, `${field}.ports[${at}]`)),
        ...asObjects(rule[peers]).flatMap((peer, at) => validatePeer(peer, `${field}.${peers}[${at}]`)),
      ];
    }),
  );
  const types = asArray(spec['policyTypes']);
  return [
    ...validateLabelSelector(asObject(spec['podSelector']) ?? {}, 'spec.podSelector'),
    ...rules,
    ...types.flatMap((type, index) => oneOf(type, `spec.policyTypes[${index}]`, ['Ingress', 'Egress'])),
  ];
}

function validatePort(port: JsonObject, field: string): FieldError[] {
  const { port: number } = port;
  return [
    ...oneOf(port['protocol'], `${field}.protocol`, ['TCP', 'UDP', 'SCTP']),
    ...(typeof number === 'string' ? portNameErrors(number) : portErrors(asNumber(number) ?? 1)).map((detail) =>
      invalid(`${field}.port`, number, detail),
    ),
    ...validateEndPort(port, field),
  ];
}

function validateEndPort(port: JsonObject, field: string): FieldError[] {
  const endPort = asNumber(port['endPort']);
  if (endPort === undefined) return [];
  const place = `${field}.endPort`;
  const { port: first } = port;
  if (first === undefined) return [invalid(place, endPort, 'may not be specified when `port` is not specified')];
  if (typeof first !== 'number') return [invalid(place, endPort, 'may not be specified when `port` is non-numeric')];
  // The real server shows `port` here, not `endPort`.
  if (endPort < first) return [invalid(place, first, 'must be greater than or equal to `port`')];
  return portErrors(endPort).map((detail) => invalid(place, endPort, detail));
}

function validatePeer(peer: JsonObject, field: string): FieldError[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((key) => peer[key] !== undefined);
  const block = asObject(peer['ipBlock']);
  if (selectors.length === 0 && !block) return [required(field, 'must specify a peer')];
  return [
    ...selectors.flatMap((key) => validateLabelSelector(asObject(peer[key]) ?? {}, `${field}.${key}`)),
    ...(block ? validateBlock(block, `${field}.ipBlock`) : []),
    ...(selectors.length > 0 && block ? [forbiddenField(field, 'may not specify both ipBlock and another peer')] : []),
  ];
}

function validateBlock(block: JsonObject, field: string): FieldError[] {
  const cidr = asString(block['cidr']) ?? '';
  if (cidr === '') return [required(`${field}.cidr`)];
  const errors = cidrErrors(cidr).map((detail) => invalid(`${field}.cidr`, cidr, detail));
  if (errors.length > 0) return errors;
  return asArray(block['except']).flatMap((except, index) => {
    const text = String(except);
    const own = cidrErrors(text);
    const all = own.length > 0 || isStrictSubset(text, cidr) ? own : ['must be a strict subset of `cidr`'];
    return all.map((detail) => invalid(`${field}.except[${index}]`, text, detail));
  });
}

export const networkPolicyStrategy: Strategy = {
  ...countedStrategy,
  validate: validatePolicy,
  validateUpdate: validatePolicy,
};
