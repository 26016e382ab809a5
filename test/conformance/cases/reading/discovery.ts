// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import type { Subject, Trial } from '../../trial.ts';

interface ApiResource {
  readonly name: string;
}

interface ResourceList {
  readonly resources: readonly ApiResource[];
}

interface AggregatedList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly { resource: string }[] }[];
  }[];
}

interface Swagger {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly definitions: Readonly<
    Record<string, { readonly properties: Readonly<Record<string, { readonly $ref?: string }>> }>
  >;
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const everyVerb = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const statusVerbs = ['get', 'patch', 'update'];

/** The groups that kube-lab serves. */
const promised = [
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
];

async function resource(t: Trial, groupVersion: string, name: string): Promise<ApiResource | undefined> {
  const { resources } = await t.read<ResourceList>(groupVersion);
  return resources.find((one) => one.name === name);
}

/** Discovery. */
export const discovery: Subject = {
  name: 'discovery',
  cases: {
    'the legacy group has one version': async (t) => {
      expect(await t.read('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    },
    'all groups are listed, each with its versions and the preferred one': async (t) => {
      const list = await t.read<{ groups: readonly { name: string }[] }>('/apis');
      expect(list).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
      expect(list.groups.map(({ name }) => name)).toEqual(expect.arrayContaining(promised));
      const version = { groupVersion: 'apps/v1', version: 'v1' };
      expect(list.groups.find(({ name }) => name === 'apps')).toEqual({
        name: 'apps',
        versions: [version],
        preferredVersion: version,
      });
    },
    'a group tells its versions': async (t) => {
      const version = { groupVersion: 'policy/v1', version: 'v1' };
      expect(await t.read('/apis/policy')).toEqual({
        kind: 'APIGroup',
        apiVersion: 'v1',
        name: 'policy',
        versions: [version],
        preferredVersion: version,
      });
    },
    'a resource tells its names, its scope and its verbs': async (t) => {
      const { storageVersionHash, ...configMaps } = (await resource(t, '/api/v1', 'configmaps')) as ApiResource & {
        storageVersionHash: string;
      };
      expect(storageVersionHash).toMatch(/^[A-Za-z0-9+/]{11}=$/);
      expect(configMaps).toEqual({
        name: 'configmaps',
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: everyVerb,
        shortNames: ['cm'],
      });
      expect(await resource(t, '/api/v1', 'pods')).toMatchObject({ shortNames: ['po'], categories: ['all'] });
      expect(await resource(t, '/api/v1', 'namespaces')).toMatchObject({
        namespaced: false,
        verbs: everyVerb.filter((verb) => verb !== 'deletecollection'),
      });
    },
    'a subresource tells the kind that it reads and writes': async (t) => {
      expect(await resource(t, '/apis/apps/v1', 'statefulsets/scale')).toEqual({
        name: 'statefulsets/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: statusVerbs,
      });
      expect(await resource(t, '/api/v1', 'pods/eviction')).toEqual({
        name: 'pods/eviction',
        singularName: '',
        namespaced: true,
        group: 'policy',
        version: 'v1',
        kind: 'Eviction',
        verbs: ['create'],
      });
      expect(await resource(t, '/api/v1', 'serviceaccounts/token')).toMatchObject({ kind: 'TokenRequest' });
    },
    'resources are listed by name, subresources after what they belong to': async (t) => {
      const { resources } = await t.read<ResourceList>('/apis/apps/v1');
      const names = resources.map(({ name }) => name).filter((name) => /^(deployments|statefulsets)/.test(name));
      expect(names).toEqual([
        'deployments',
        'deployments/scale',
        'deployments/status',
        'statefulsets',
        'statefulsets/scale',
        'statefulsets/status',
      ]);
    },
    'everything can be had in one answer, group by group': async (t) => {
      const { headers, body } = await t.get<AggregatedList>('/apis', { accept: aggregated });
      expect(headers['content-type']).toBe(aggregated);
      expect(headers['etag']).toMatch(/^"[0-9A-F]{128}"$/);
      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} });
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(promised));
      const apps = body.items.find(({ metadata }) => metadata.name === 'apps');
      expect(apps?.versions[0]?.resources.find((one) => one.resource === 'deployments')).toEqual({
        resource: 'deployments',
        responseKind: { group: '', version: '', kind: 'Deployment' },
        scope: 'Namespaced',
        singularResource: 'deployment',
        verbs: everyVerb,
        shortNames: ['deploy'],
        categories: ['all'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: statusVerbs,
          },
          { subresource: 'status', responseKind: { group: '', version: '', kind: 'Deployment' }, verbs: statusVerbs },
        ],
      });
    },
    'the legacy group can be had in one answer, too': async (t) => {
      const { body } = await t.get<AggregatedList>('/api', { accept: aggregated });
      const [core] = body.items;
      expect(core?.metadata).toEqual({});
      expect(core?.versions.map(({ version }) => version)).toEqual(['v1']);
      expect(core?.versions[0]?.resources.map((one) => one.resource)).toEqual(
        expect.arrayContaining(['configmaps', 'pods', 'services', 'secrets', 'namespaces', 'persistentvolumeclaims']),
      );
    },
    'what kubectl asks for first is answered in JSON': async (t) => {
      const accept = `${aggregated},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
      const { code, headers } = await t.get('/api', { accept });
      expect({ code, type: headers['content-type'] }).toEqual({ code: 200, type: aggregated });
    },
    'a client with the current document gets 304': async (t) => {
      const first = await t.get('/api', { accept: aggregated });
      const again = await t.get('/api', { accept: aggregated, 'if-none-match': first.headers['etag'] ?? '' });
      expect({ code: again.code, body: again.body }).toEqual({ code: 304, body: '' });
    },
    'an unknown version of the one answer is 406': async (t) => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v1;as=APIGroupDiscoveryList';
      expect(refusalOf(await t.get('/apis', { accept }))).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    },
    'a custom kind appears in its group, with its subresources': async (t) => {
      const version = { subresources: { status: {} } };
      const definition = {
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
      };
      const kind = await customKind(t, { version, definition });
      const { resources } = await t.eventually(async () => {
        const list = await t.read<ResourceList>(`/apis/${kind.group}/v1`);
        expect(list.resources).toHaveLength(2);
        return list;
      });
      const [own, status] = resources as unknown as [Record<string, unknown>, unknown];
      expect({ ...own, storageVersionHash: undefined }).toEqual({
        name: 'widgets',
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        shortNames: ['wd'],
        categories: ['all'],
      });
      expect(status).toEqual({
        name: 'widgets/status',
        singularName: '',
        namespaced: true,
        kind: 'Widget',
        verbs: statusVerbs,
      });
    },
    'a custom kind appears in the one answer, too': async (t) => {
      const kind = await customKind(t);
      await t.eventually(async () => {
        const { body } = await t.get<AggregatedList>('/apis', { accept: aggregated });
        const group = body.items.find(({ metadata }) => metadata.name === kind.group);
        expect(group?.versions).toMatchObject([
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'widgets',
                responseKind: { group: kind.group, version: 'v1', kind: 'Widget' },
                scope: 'Namespaced',
              },
            ],
          },
        ]);
      });
    },
    'the schema of each version is named with its hash and can be had': async (t) => {
      const { headers, body } = await t.get<string>('/openapi/v3');
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      const { paths } = JSON.parse(body) as { paths: Record<string, { serverRelativeURL: string }> };
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/batch/v1']));
      const url = paths['apis/apps/v1']?.serverRelativeURL ?? '';
      expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
      const document = await t.read<{ openapi: string; components: { schemas: object } }>(url);
      expect(document.openapi).toBe('3.0.0');
      expect(document.components.schemas).toHaveProperty(['io.k8s.api.apps.v1.StatefulSet']);
    },
    'the older OpenAPI document holds every type and path, custom ones included': async (t) => {
      const kind = await customKind(t);
      const document = await t.eventually(async () => {
        const read = await t.read<Swagger>('/openapi/v2');
        expect(Object.keys(read.paths)).toContain(`/apis/${kind.group}/v1/namespaces/{namespace}/widgets`);
        return read;
      });
      expect(document).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } });
      const definition = document.definitions['io.k8s.api.apps.v1.RollingUpdateDaemonSet'];
      expect(definition?.properties['maxSurge']?.$ref).toBe(
        '#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString',
      );
      expect(document.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toMatchObject({
        type: 'string',
        format: 'int-or-string',
      });
      const { get } = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'] ?? {};
      expect(get).toEqual({
        description: 'read the specified Deployment',
        consumes: ['*/*'],
        produces: expect.arrayContaining(['application/json', 'application/yaml']),
        schemes: ['https'],
        tags: ['apps_v1'],
        operationId: 'readAppsV1NamespacedDeployment',
        responses: {
          200: { description: 'OK', schema: { $ref: '#/definitions/io.k8s.api.apps.v1.Deployment' } },
          401: { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'get',
        'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
      });
      expect(Object.keys(document.paths).filter((path) => path.includes('v1beta1/deployments'))).toEqual([]);
    },
    'the older OpenAPI document comes in protobuf for those who ask for it, and only when it has changed': async (
      t,
    ) => {
      const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
      const { code, headers } = await t.get('/openapi/v2', { accept });
      expect({ code, type: headers['content-type'] }).toEqual({
        code: 200,
        type: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      });
      await t.eventually(async () => {
        const { headers: first } = await t.get('/openapi/v2');
        expect((await t.get('/openapi/v2', { 'if-none-match': first['etag'] ?? '' })).code).toBe(304);
      });
      expect((await t.get('/openapi/v2', { accept: 'text/html' })).code).toBe(406);
    },
  },
};
