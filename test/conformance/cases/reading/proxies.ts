// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import type { Subject } from '../../trial.ts';

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** Proxies of the API server to pods and Services, without any running. */
export const proxies: Subject = {
  name: 'proxies',
  cases: {
    'a pod that is not there, or has no address yet, is not reached': async (t) => {
      const path = `/api/v1/namespaces/${await t.podNamespace()}/pods`;
      await t.make(path, { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
      for (const rest of ['a/proxy', 'a/proxy/', 'a/proxy/x?y=z', 'a:80/proxy/', 'https:a:80/proxy/x']) {
        expect(refusalOf(await t.get(`${path}/${rest}`))).toEqual(badRequest('address not allowed'));
      }
      expect(refusalOf(await t.post(`${path}/a/proxy/x`, {})).message).toBe('address not allowed');
      expect(refusalOf(await t.get(`${path}/a/proxy/x`, upgrade)).message).toBe('address not allowed');
      expect(refusalOf(await t.get(`${path}/b/proxy/`)).message).toBe('pods "b" not found');
      expect(refusalOf(await t.get(`${path}/http:a:80:81/proxy/`)).message).toBe('invalid pod request "http:a:80:81"');
    },
    'a Service without the port or without endpoints is not reached': async (t) => {
      const namespace = await t.namespace();
      const path = `/api/v1/namespaces/${namespace}/services`;
      await t.make(path, { metadata: { name: 'a' }, spec: { ports: [{ name: 'web', port: 80 }] } });
      expect(refusalOf(await t.get(`${path}/a/proxy/`)).message).toBe('services "a" not found');
      expect(refusalOf(await t.get(`${path}/b/proxy/`)).message).toBe('services "b" not found');
      expect(refusalOf(await t.get(`${path}/ftp:a:80/proxy/`)).message).toBe('invalid service request "ftp:a:80"');
      expect(refusalOf(await t.get(`${path}/a:81/proxy/`))).toEqual({
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'no service port 81 found for service "a"',
      });
    },
    'a node that is not there is not reached': async (t) => {
      expect(refusalOf(await t.get('/api/v1/nodes/nope/proxy/healthz')).message).toBe('nodes "nope" not found');
    },
    'the right to read pods does not include their proxy': async (t) => {
      const namespace = await t.namespace();
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
      const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
      await t.make(`${roles}/roles`, { metadata: { name: 'reader' }, rules });
      await t.make(`${roles}/rolebindings`, {
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ada' }],
      });
      const ada = t.as({ user: 'ada' });
      const path = `/api/v1/namespaces/${namespace}/pods/a`;
      await t.eventually(async () => expect((await ada.get(path)).code).toBe(404));
      expect(refusalOf(await ada.get(`${path}/proxy/x/y`)).message).toBe(
        `pods "a" is forbidden: User "ada" cannot get resource "pods/proxy" in API group "" in the namespace "${namespace}"`,
      );
    },
  },
};
