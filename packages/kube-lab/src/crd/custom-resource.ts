// SPDX-License-Identifier: Apache-2.0
import { FieldSet } from '../apply/field-set.ts';
import type { FieldType } from '../apply/field-type.ts';
import { asArray, asObject, asObjects, asString, getIn, type JsonObject } from '../json/json.ts';
import type { ServedResource, ServedSubresource } from '../registry/served-resource.ts';
import { type Conversions, WebhookConverter } from './conversion.ts';
import { customCodec } from './custom-codec.ts';
import { customStrategy } from './custom-strategy.ts';
import { storageVersionOf } from './definition-kind.ts';
import type { ScalePaths } from './scale.ts';
import { customFieldType } from './schema/field-types.ts';
import { readSchema, type SchemaNode } from './schema/schema-node.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const nothing = new FieldSet();
const statusField = FieldSet.of(['f:status']);
const allButStatus = FieldSet.of(['f:spec'], ['f:metadata']);

/** The resources that a definition declares, one for each served version. */
export function customResources(definition: JsonObject, known: Conversions = new Map()): readonly ServedResource[] {
  const convert = conversionOf(definition, known);
  return asObjects(getIn(definition, 'spec', 'versions'))
    .filter((version) => version['served'] === true)
    .map((version) => customResource(definition, version, convert));
}

type Convert = (object: JsonObject, apiVersion: string) => JsonObject;

/** How objects are converted between versions. Without a conversion webhook, only `apiVersion` changes. */
function conversionOf(
  definition: JsonObject,
  known: Conversions,
): { readonly convert: Convert; readonly isAsked: boolean } {
  const conversion = asObject(getIn(definition, 'spec', 'conversion')) ?? {};
  if (conversion['strategy'] !== 'Webhook') {
    return { convert: (object, apiVersion) => ({ ...object, apiVersion }), isAsked: false };
  }
  const converter = new WebhookConverter(asObject(conversion['webhook']) ?? {}, known);
  return { convert: (object, apiVersion) => converter.convert(object, apiVersion), isAsked: true };
}

function customResource(
  definition: JsonObject,
  version: JsonObject,
  { convert, isAsked }: ReturnType<typeof conversionOf>,
): ServedResource {
  const spec = asObject(definition['spec']) ?? {};
  const names = asObject(getIn(definition, 'status', 'acceptedNames')) ?? {};
  const group = asString(spec['group']) ?? '';
  const kind = asString(names['kind']) ?? '';
  const plural = asString(names['plural']) ?? '';
  const storageVersion = storageVersionOf(definition);
  const schema = readSchema(asObject(getIn(version, 'schema', 'openAPIV3Schema')) ?? {});
  const own = { group, version: asString(version['name']) ?? '', kind };
  const subresources = subresourcesOf(version, own);
  const hasStatus = subresources.some(({ name }) => name === 'status');
  const scale = scaleOf(version);
  const codec = customCodec({
    ...own,
    schema,
    preserveUnknownFields: spec['preserveUnknownFields'] === true,
    storageVersion,
    convert,
  });
  const served = asObjects(spec['versions']).filter((one) => one['served'] === true);
  return {
    ...own,
    listKind: asString(names['listKind']) ?? `${kind}List`,
    plural,
    singular: asString(names['singular']) ?? '',
    shortNames: asArray(names['shortNames']).map(String),
    categories: asArray(names['categories']).map(String),
    namespaced: spec['scope'] === 'Namespaced',
    verbs,
    subresources,
    collection: `${plural}.${group}`,
    storageVersion,
    codec,
    ...(isAsked
      ? {
          convertAll: (object) => {
            for (const one of served) convert(object, `${group}/${String(one['name'])}`);
          },
        }
      : {}),
    strategy: {
      ...customStrategy({ schema, hasStatus, scale, toVersion: (object) => codec.toVersion(object) }),
      ...deprecationOf(version, own),
    },
    custom: true,
    selectableFields: asObjects(version['selectableFields']).map((field) =>
      (asString(field['jsonPath']) ?? '').slice(1),
    ),
    ...lazyFieldType(schema),
    resetFields: (subresource) => (hasStatus ? (subresource === 'status' ? allButStatus : statusField) : nothing),
    definition: version,
    terminating: getIn(definition, 'metadata', 'deletionTimestamp') !== undefined,
    scale,
  };
}

/** The warning for a deprecated version. */
function deprecationOf(
  version: JsonObject,
  { group, version: name, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): { readonly deprecation?: string } {
  if (version['deprecated'] !== true) return {};
  return { deprecation: asString(version['deprecationWarning']) ?? `${group}/${name} ${kind} is deprecated` };
}

function scaleOf(version: JsonObject): ScalePaths | undefined {
  const declared = asObject(getIn(version, 'subresources', 'scale'));
  if (!declared) return undefined;
  return {
    specReplicasPath: asString(declared['specReplicasPath']) ?? '',
    statusReplicasPath: asString(declared['statusReplicasPath']) ?? '',
    labelSelectorPath: asString(declared['labelSelectorPath']) || undefined,
  };
}

function lazyFieldType(schema: SchemaNode): { readonly fieldType: FieldType } {
  return { fieldType: customFieldType(schema) };
}

function subresourcesOf(
  version: JsonObject,
  own: { readonly group: string; readonly version: string; readonly kind: string },
): readonly ServedSubresource[] {
  const declared = asObject(version['subresources']) ?? {};
  const subresources: ServedSubresource[] = [];
  const changing = ['get', 'patch', 'update'];
  if (declared['status']) subresources.push({ name: 'status', verbs: changing, responseKind: own });
  if (declared['scale']) {
    const responseKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    subresources.push({ name: 'scale', verbs: changing, responseKind });
  }
  return subresources;
}
