// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { asArray, asObject, asObjects, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { labelErrors, subdomainErrors } from '../../validation/names.ts';
import { portErrors, portNameErrors } from '../../validation/ports.ts';
import { oneOf } from '../core/container-validation.ts';
import { countedStrategy } from '../counted.ts';
import { specStatusStrategy } from '../strategies.ts';
import type { Strategy } from '../strategy.ts';

function validateIngress(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const rules = asObjects(spec['rules']);
  const backend = asObject(spec['defaultBackend']);
  const errors: FieldError[] = [];
  if (rules.length === 0 && !backend) {
    errors.push(invalid('spec', null, 'either `defaultBackend` or `rules` must be specified'));
  }
  errors.push(...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)));
  for (const [index, tls] of asObjects(spec['tls']).entries()) {
    for (const [at, host] of asArray(tls['hosts']).entries()) {
      errors.push(
        ...hostErrors(String(host)).map((detail) => invalid(`spec.tls[${index}].hosts[${at}]`, host, detail)),
      );
    }
  }
  if (backend) errors.push(...validateBackend(backend, 'spec.defaultBackend'));
  const className = asString(spec['ingressClassName']);
  if (className !== undefined) {
    errors.push(...subdomainErrors(className).map((detail) => invalid('spec.ingressClassName', className, detail)));
  }
  return errors;
}

function hostErrors(host: string): readonly string[] {
  return subdomainErrors(host.replace(/^\*\./, ''));
}

function validateRule(rule: JsonObject, field: string): FieldError[] {
  const host = asString(rule['host']) ?? '';
  const wrongHost = isIP(host) === 0 ? hostErrors(host) : ['must be a DNS name, not an IP address'];
  const http = asObject(rule['http']);
  const paths = asObjects(http?.['paths']);
  return [
    ...(host === '' ? [] : wrongHost.map((detail) => invalid(`${field}.host`, host, detail))),
    ...(http && paths.length === 0 ? [required(`${field}.http.paths`)] : []),
    ...paths.flatMap((path, index) => validatePath(path, `${field}.http.paths[${index}]`)),
  ];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function validatePath(path: JsonObject, field: string): FieldError[] {
  const type = asString(path['pathType']);
  const text = asString(path['path']) ?? '';
  const errors: FieldError[] = [];
  if (type === undefined) errors.push(required(`${field}.pathType`, 'pathType must be specified'));
  else errors.push(...oneOf(type, `${field}.pathType`, pathTypes));
  const mayBeEmpty = type === 'ImplementationSpecific' || type === undefined || !pathTypes.includes(type);
  if (!text.startsWith('/') && !(mayBeEmpty && text === '')) {
    errors.push(invalid(`${field}.path`, text, 'must be an absolute path'));
  }
  return [...errors, ...validateBackend(asObject(path['backend']) ?? {}, `${field}.backend`)];
}

function validateBackend(backend: JsonObject, field: string): FieldError[] {
  const service = asObject(backend['service']);
  const { resource } = backend;
  if (!service) {
    return resource === undefined ? [invalid(field, '', 'resource or service backend is required')] : [];
  }
  if (resource !== undefined) return [invalid(field, '', 'cannot set both resource and service backends')];
  return validateService(service, field);
}

function validateService(service: JsonObject, field: string): FieldError[] {
  const name = asString(service['name']) ?? '';
  const { number = 0, name: portName = '' } = asObject(service['port']) ?? {};
  const errors =
    name === ''
      ? [required(`${field}.service.name`)]
      : labelErrors(name).map((detail) => invalid(`${field}.service.name`, name, detail));
  if (number !== 0 && portName !== '')
    return [...errors, invalid(field, '', 'cannot set both port name & port number')];
  if (number === 0 && portName === '') return [...errors, required(field, 'port name or number is required')];
  const port = portName === '' ? portErrors(Number(number)) : portNameErrors(String(portName));
  const shown = portName === '' ? number : portName;
  const place = `${field}.service.port.${portName === '' ? 'number' : 'name'}`;
  return [...errors, ...port.map((detail) => invalid(place, shown, detail))];
}

/** Ingresses: stored, but the lab has no ingress controller. */
export const ingressStrategy: Strategy = {
  ...specStatusStrategy,
  prepareForCreate(object, context) {
    specStatusStrategy.prepareForCreate?.(object, context);
    object['status'] = { loadBalancer: {} };
  },
  validate: validateIngress,
  validateUpdate: validateIngress,
};

function validateClass(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const controller = asString(spec['controller']) ?? '';
  const parameters = asObject(spec['parameters']);
  return [
    ...controllerErrors(controller),
    ...['kind', 'name']
      .filter((key) => parameters && !parameters[key])
      .map((key) => required(`spec.parameters.${key}`)),
  ];
}

function controllerErrors(controller: string): FieldError[] {
  if (controller === '') return [required('spec.controller')];
  const [domain = '', path = ''] = controller.split(/\/(.*)/s);
  if (domain !== '' && path !== '' && subdomainErrors(domain).length === 0) return [];
  return [invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
}

export function ingressClassDefaults(object: JsonObject): void {
  const parameters = asObject(asObject(object['spec'])?.['parameters']);
  if (parameters) parameters['scope'] ??= 'Cluster';
}

export const ingressClassStrategy: Strategy = {
  ...countedStrategy,
  validate: validateClass,
  validateUpdate(object, old) {
    const controller = (one: JsonObject) => asObject(one['spec'])?.['controller'];
    const fixed = equalJson(controller(object), controller(old))
      ? []
      : [invalid('spec.controller', controller(object), 'field is immutable')];
    return [...validateClass(object), ...fixed];
  },
};
