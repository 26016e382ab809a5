// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, equalJson, getIn, type JsonObject } from '../json/json.ts';
import { isPath } from '../json/json-path.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../validation/field-error.ts';
import { label1035Errors, labelErrors, subdomainErrors } from '../validation/names.ts';
import { validateStructural } from './schema/structural.ts';

/** The validation errors of a new CustomResourceDefinition. */
export function validateDefinition(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const name = asString(getIn(object, 'metadata', 'name')) ?? '';
  const group = asString(spec['group']) ?? '';
  const plural = asString(getIn(spec, 'names', 'plural')) ?? '';
  const expected = `${plural}.${group}`;
  return [
    ...(name === expected ? [] : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateGroup(group),
    ...validateScope(spec['scope']),
    ...validateVersions(spec),
    ...validateNames(asObject(spec['names']) ?? {}, 'spec.names'),
    ...validateApproval(object, group),
    ...validateConversion(spec),
    ...validateStoredVersions(object, spec),
  ];
}

/** The validation errors of a changed CustomResourceDefinition. */
export function validateDefinitionUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const isEstablished = asObjects(getIn(old, 'status', 'conditions')).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const immutable = [
    ['spec', 'group'],
    ['spec', 'names', 'plural'],
    ...(isEstablished
      ? [
          ['spec', 'scope'],
          ['spec', 'names', 'kind'],
        ]
      : []),
  ];
  const changed = immutable
    .filter((path) => !equalJson(getIn(object, ...path), getIn(old, ...path)))
    .map((path) => invalid(path.join('.'), getIn(object, ...path), 'field is immutable'));
  return [...validateDefinition(object), ...changed];
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === '') return [required('spec.group')];
  const errors = subdomainErrors(group).map((detail) => invalid('spec.group', group, detail));
  if (group.split('.').length < 2)
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  return errors;
}

function validateScope(scope: unknown): readonly FieldError[] {
  const allowed = ['Cluster', 'Namespaced'];
  if (typeof scope !== 'string' || scope === '') return [required('spec.scope')];
  return allowed.includes(scope) ? [] : [notSupported('spec.scope', scope, allowed)];
}

function validateVersions(spec: JsonObject): readonly FieldError[] {
  const versions = asObjects(spec['versions']);
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  // If all versions have the same schema, the real server moves it to the top level. Errors name that place.
  const [first] = versions;
  const shared = versions.every((version) => equalJson(version['schema'], first?.['schema']))
    ? 'spec.validation'
    : undefined;
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}]`;
    const name = asString(version['name']) ?? '';
    if (seen.has(name)) errors.push(duplicate(`${field}.name`, name));
    seen.add(name);
    errors.push(...label1035Errors(name).map((detail) => invalid(`${field}.name`, name, detail)));
    errors.push(...validateVersion(version, field, shared));
  }
  if (versions.length === 0) errors.push(required('spec.versions', 'must have at least one version'));
  const stored = versions.filter((version) => version['storage'] === true).length;
  if (stored !== 1) {
    errors.push(
      invalid('spec.versions', versions as JsonObject[], 'must have exactly one version marked as storage version'),
    );
  }
  return errors;
}

function validateVersion(version: JsonObject, field: string, shared: string | undefined): readonly FieldError[] {
  const schema = asObject(getIn(version, 'schema', 'openAPIV3Schema'));
  const errors: FieldError[] = [];
  if (!schema) errors.push(required(`${field}.schema.openAPIV3Schema`));
  else if (shared === undefined || field === 'spec.versions[0]') {
    errors.push(...validateStructural(schema, `${shared ?? `${field}.schema`}.openAPIV3Schema`));
  }
  for (const [index, column] of asObjects(version['additionalPrinterColumns']).entries()) {
    errors.push(...validateColumn(column, `${field}.additionalPrinterColumns[${index}]`));
  }
  const scale = asObject(getIn(version, 'subresources', 'scale'));
  if (scale) errors.push(...validateScale(scale, `${field}.subresources.scale`));
  return errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = [
  'binary',
  'bool',
  'boolean',
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int',
  'int32',
  'int64',
  'password',
];

function validateColumn(column: JsonObject, field: string): readonly FieldError[] {
  const { name, type, format, jsonPath } = column;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`));
  if (!type) errors.push(required(`${field}.type`, `must be one of ${columnTypes.join(',')}`));
  else if (!columnTypes.includes(String(type))) {
    errors.push(invalid(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`));
  }
  if (format && !columnFormats.includes(String(format))) {
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  if (!jsonPath) errors.push(required(`${field}.jsonPath`));
  else if (!isPath(String(jsonPath))) errors.push(invalid(`${field}.jsonPath`, jsonPath, 'is an invalid path'));
  return errors;
}

function validateScale(scale: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const rules = [
    ['specReplicasPath', ['.spec.']],
    ['statusReplicasPath', ['.status.']],
    ['labelSelectorPath', ['.spec.', '.status.']],
  ] as const;
  for (const [key, prefixes] of rules) {
    const path = asString(scale[key]) ?? '';
    if (path === '') {
      if (key !== 'labelSelectorPath') errors.push(required(`${field}.${key}`));
    } else if (!prefixes.some((prefix) => path.startsWith(prefix))) {
      const under = prefixes.map((prefix) => prefix.slice(0, -1)).join(' or ');
      errors.push(invalid(`${field}.${key}`, path, `should be a json path under ${under}`));
    }
  }
  return errors;
}

function validateNames(names: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const label = (key: string, value: string, lower: boolean) =>
    label1035Errors(lower ? value : value.toLowerCase()).map((detail) =>
      invalid(`${field}.${key}`, value, lower ? detail : detail.replace('a DNS-1035', 'a DNS-1035')),
    );
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    const value = asString(names[key]) ?? '';
    const isLower = key === 'plural' || key === 'singular';
    if (value === '') {
      errors.push(required(`${field}.${key}`));
      continue;
    }
    errors.push(...label(key, value, isLower));
  }
  for (const [index, name] of asArray(names['shortNames']).entries()) {
    errors.push(...labelErrors(String(name)).map((detail) => invalid(`${field}.shortNames[${index}]`, name, detail)));
  }
  for (const [index, name] of asArray(names['categories']).entries()) {
    errors.push(...labelErrors(String(name)).map((detail) => invalid(`${field}.categories[${index}]`, name, detail)));
  }
  if (names['listKind'] && names['listKind'] === names['kind']) {
    errors.push(invalid(`${field}.listKind`, names['listKind'], 'kind and listKind may not be the same'));
  }
  return errors;
}

const approvalKey = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes community require an annotation on API approval. */
function validateApproval(object: JsonObject, group: string): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = `metadata.annotations[${approvalKey}]`;
  const value = asString(getIn(object, 'metadata', 'annotations', approvalKey)) ?? '';
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (value === '') return [required(field, `protected groups must have approval annotation "${approvalKey}", ${see}`)];
  if (value.startsWith('unapproved') || URL.canParse(value)) return [];
  return [
    invalid(
      field,
      value,
      `protected groups must have approval annotation "${approvalKey}" with either a URL or a reason starting with "unapproved", ${see}`,
    ),
  ];
}

function validateConversion(spec: JsonObject): readonly FieldError[] {
  const conversion = asObject(spec['conversion']) ?? {};
  const field = 'spec.conversion';
  const strategies = ['None', 'Webhook'];
  const strategy = asString(conversion['strategy']) ?? '';
  if (strategy === '') return [required(`${field}.strategy`)];
  if (!strategies.includes(strategy)) return [notSupported(`${field}.strategy`, strategy, strategies)];
  if (strategy === 'None') return [];
  const errors: FieldError[] = [];
  const webhook = asObject(conversion['webhook']);
  if (!getIn(webhook, 'clientConfig')) {
    errors.push(required(`${field}.webhook.clientConfig`, 'required when strategy is set to Webhook'));
  }
  if (asArray(webhook?.['conversionReviewVersions']).length === 0) {
    errors.push(required(`${field}.webhook.conversionReviewVersions`));
  }
  return errors;
}

function validateStoredVersions(object: JsonObject, spec: JsonObject): readonly FieldError[] {
  const names = asObjects(spec['versions']).map((version) => String(version['name']));
  const stored = asArray(getIn(object, 'status', 'storedVersions')).map(String);
  const storing = asObjects(spec['versions'])
    .filter((version) => version['storage'] === true)
    .at(-1);
  if (storing && stored.length > 0 && !stored.includes(String(storing['name']))) {
    return [invalid('status.storedVersions', stored, `must have the storage version ${String(storing['name'])}`)];
  }
  return stored.flatMap((version, index) =>
    names.includes(version)
      ? []
      : [
          invalid(
            `status.storedVersions[${index}]`,
            version,
            'missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions'.replaceAll(
              'v1',
              version,
            ),
          ),
        ],
  );
}
