// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../api-server/api-server.ts';

const pod = { containers: [{ name: 'c', image: 'i' }] };
const selector = { matchLabels: { a: 'b' } };
const template = { metadata: { labels: { a: 'b' } }, spec: pod };
const job = { template: { spec: { ...pod, restartPolicy: 'Never' } } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const crd = {
  group: 'b.c',
  scope: 'Cluster',
  names: { kind: 'A', plural: 'as' },
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
};

/** Where to create it, with the minimum that the server accepts. */
const objects: readonly (readonly [string, object])[] = [
  ['/api/v1/namespaces/default/configmaps', {}],
  ['/api/v1/namespaces/default/endpoints', {}],
  ['/api/v1/namespaces/default/events', { involvedObject: { namespace: 'default' } }],
  ['/api/v1/namespaces/default/limitranges', { spec: { limits: [] } }],
  ['/api/v1/namespaces/default/persistentvolumeclaims', { spec: claim }],
  ['/api/v1/namespaces/default/pods', { spec: pod }],
  ['/api/v1/namespaces/default/podtemplates', { template }],
  ['/api/v1/namespaces/default/replicationcontrollers', { spec: { selector: { a: 'b' }, template } }],
  ['/api/v1/namespaces/default/resourcequotas', {}],
  ['/api/v1/namespaces/default/secrets', {}],
  ['/api/v1/namespaces/default/serviceaccounts', {}],
  ['/api/v1/namespaces/default/services', { spec: { clusterIP: 'None' } }],
  ['/api/v1/namespaces', {}],
  ['/api/v1/nodes', {}],
  ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {}],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { metadata: { name: 'as.b.c' }, spec: crd }],
  ['/apis/apps/v1/namespaces/default/controllerrevisions', { revision: 1, data: { a: 1 } }],
  ['/apis/apps/v1/namespaces/default/daemonsets', { spec: { selector, template } }],
  ['/apis/apps/v1/namespaces/default/deployments', { spec: { selector, template } }],
  ['/apis/apps/v1/namespaces/default/replicasets', { spec: { selector, template } }],
  ['/apis/apps/v1/namespaces/default/statefulsets', { spec: { selector, template } }],
  ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }],
  ['/apis/batch/v1/namespaces/default/cronjobs', { spec: { schedule: '* * * * *', jobTemplate: { spec: job } } }],
  ['/apis/batch/v1/namespaces/default/jobs', { spec: job }],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', {}],
  ['/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { addressType: 'IPv4', endpoints: [] }],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', { spec: { maxUnavailable: 1 } }],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', {}],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {}],
  ['/apis/storage.k8s.io/v1/csidrivers', { spec: {} }],
  ['/apis/storage.k8s.io/v1/csinodes', { spec: { drivers: [] } }],
  ['/apis/storage.k8s.io/v1/storageclasses', { provisioner: 'x' }],
];

/** Every path with a null. */
function nulls(value: unknown, path: string): readonly string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, entry]) => nulls(entry, isList ? `${path}[]` : `${path}.${key}`));
}

describe('the smallest object of each kind', () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('comes back with nulls only where the generated types have them', async () => {
    const found: string[] = [];
    for (const [path, body] of objects) {
      const answer = await server.call('POST', path, { body: { metadata: { name: 'smallest' }, ...body } });
      expect(answer.status, `${path}: ${answer.body}`).toBe(201);
      found.push(...nulls(JSON.parse(answer.body), path.slice(path.lastIndexOf('/') + 1)));
    }
    expect(found.sort()).toEqual([
      'clusterroles.rules',
      'csinodes.spec.drivers',
      'customresourcedefinitions.status.conditions',
      'endpointslices.endpoints',
      'endpointslices.ports',
      'events.eventTime',
      'events.firstTimestamp',
      'events.lastTimestamp',
      'limitranges.spec.limits',
      'roles.rules',
    ]);
  });
});
