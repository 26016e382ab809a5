// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, equalJson, getIn, type JsonObject } from '../json/json.ts';
import type { Strategy } from '../registry/strategy.ts';
import { setCondition } from './conditions.ts';
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.ts';

/** The defaults that the real server sets in a CustomResourceDefinition. */
export function definitionDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  const names = asObject(spec?.['names']);
  if (!spec || !names) return;
  const kind = asString(names['kind']) ?? '';
  if (!names['singular'] && kind) names['singular'] = kind.toLowerCase();
  if (!names['listKind'] && kind) names['listKind'] = `${kind}List`;
  const conversion = asObject(spec['conversion']);
  if (!conversion) spec['conversion'] = { strategy: 'None' };
  const service = asObject(getIn(conversion, 'webhook', 'clientConfig', 'service'));
  if (service) service['port'] ??= 443;
}

/** The name of the version in which objects are stored. */
export function storageVersionOf(definition: JsonObject): string {
  const versions = asObjects(getIn(definition, 'spec', 'versions'));
  return asString(versions.find((version) => version['storage'] === true)?.['name']) ?? '';
}

export const definitionStrategy: Strategy = {
  prepareForCreate(object) {
    const version = storageVersionOf(object);
    object['status'] = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: version ? [version] : [],
    };
    (asObject(object['metadata']) ?? {})['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    const status = { ...asObject(old['status']) };
    const stored = asArray(status['storedVersions']).map(String);
    const version = storageVersionOf(object);
    if (version && !stored.includes(version)) status['storedVersions'] = [...stored, version];
    object['status'] = status;
    if (equalJson(object['spec'], old['spec'])) return;
    const before = asObject(old['metadata'])?.['generation'];
    (asObject(object['metadata']) ?? {})['generation'] = typeof before === 'number' ? before + 1 : 1;
  },
  prepareForStatusUpdate(object, old) {
    if (old['spec'] !== undefined) object['spec'] = old['spec'];
    const now = asObject(object['metadata']) ?? {};
    const before = asObject(old['metadata']) ?? {};
    for (const field of ['labels', 'annotations', 'ownerReferences', 'finalizers']) {
      if (before[field] === undefined) delete now[field];
      else now[field] = before[field];
    }
  },
  cleanupFinalizer: 'customresourcecleanup.apiextensions.k8s.io',
  prepareForDelete(object, context) {
    const status = asObject(object['status']) ?? {};
    object['status'] = status;
    const message = 'CustomResource deletion is in progress';
    setCondition(context, status, 'Terminating', 'True', 'InstanceDeletionInProgress', message);
  },
  validate: validateDefinition,
  validateUpdate: validateDefinitionUpdate,
};
