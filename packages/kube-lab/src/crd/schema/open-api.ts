// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { asObject, getIn, type JsonObject } from '../../json/json.ts';
import { openApiDocument } from '../../registry/captured-api.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

const metadataRef = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const typeMeta: JsonObject = {
  apiVersion: {
    description:
      'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
    type: 'string',
  },
  kind: {
    description:
      'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
    type: 'string',
  },
};

/** The OpenAPI v3 document of the custom resources of one group and version: what `kubectl explain` and validation read. */
export function openApiOf(resources: readonly ServedResource[]): string {
  const [first] = resources;
  const schemas: JsonObject = { ...metadataSchemas() };
  for (const resource of resources) schemas[typeName(resource)] = schemaOf(resource);
  const paths = Object.fromEntries(
    resources.flatMap((resource) => {
      const path = collectionPath(resource);
      const { collection, item } = operationsOf(resource);
      return [
        [path, collection],
        [`${path}/{name}`, item],
      ];
    }),
  );
  const info = { title: 'Kubernetes CRD Swagger', version: first?.version ?? '' };
  return JSON.stringify({ openapi: '3.0.0', info, paths, components: { schemas } });
}

/** `com.example.v1.Widget`: the group reversed, as the real server names it. */
function typeName({ group, version, kind }: ServedResource): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function schemaOf(resource: ServedResource): JsonObject {
  const schema = asObject(getIn(resource.definition, 'schema', 'openAPIV3Schema')) ?? {};
  const { group, version, kind } = resource;
  return {
    ...schema,
    properties: {
      ...typeMeta,
      metadata: {
        description:
          "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        allOf: [{ $ref: metadataRef }],
      },
      ...withoutMeta(asObject(schema['properties']) ?? {}),
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

function withoutMeta({ apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest }: JsonObject): JsonObject {
  return rest;
}

function collectionPath(resource: ServedResource): string {
  const place = resource.namespaced ? 'namespaces/{namespace}/' : '';
  return `/apis/${apiVersionOf(resource)}/${place}${resource.plural}`;
}

/**
 * The operations of a kind, with only what clients read: verbs, parameters and types of bodies. kubectl looks for
 * PATCH.
 */
function operationsOf(resource: ServedResource): { readonly collection: JsonObject; readonly item: JsonObject } {
  const { group, version, kind } = resource;
  const gvk = { group, version, kind };
  const ref = { $ref: `#/components/schemas/${typeName(resource)}` };
  const content = { 'application/json': { schema: ref }, 'application/yaml': { schema: ref } };
  const operation = (action: string) => ({
    responses: { '200': { description: 'OK', content } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  });
  const parameters = [
    { name: 'dryRun', in: 'query', schema: { type: 'string' } },
    { name: 'fieldManager', in: 'query', schema: { type: 'string' } },
    { name: 'fieldValidation', in: 'query', schema: { type: 'string' } },
  ];
  const write = (action: string) => ({ ...operation(action), parameters, requestBody: { content } });
  return {
    collection: { get: operation('list'), post: write('post') },
    item: { get: operation('get'), put: write('put'), patch: write('patch'), delete: operation('delete') },
  };
}

let metadata: JsonObject | undefined;

function metadataSchemas(): JsonObject {
  if (metadata) return metadata;
  const schemas = asObject(getIn(openApiDocument('api/v1'), 'components', 'schemas')) ?? {};
  const names = ['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry', 'FieldsV1', 'Time'];
  const wanted = names.map((name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`);
  metadata = Object.fromEntries(wanted.map((name) => [name, schemas[name] ?? {}]));
  return metadata;
}
