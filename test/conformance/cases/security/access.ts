// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'rbac.authorization.k8s.io';

interface Grant {
  readonly rules: readonly object[];
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string };
}

/** Grants rights to a subject in one namespace. */
async function grant(t: Trial, ns: string, { rules, subject }: Grant): Promise<void> {
  const name = t.unique('role');
  await t.make(`${rbac}/namespaces/${ns}/roles`, { metadata: { name }, rules });
  const subjects = [{ ...(subject.kind !== 'ServiceAccount' && { apiGroup: group }), ...subject }];
  const roleRef = { apiGroup: group, kind: 'Role', name };
  await t.make(`${rbac}/namespaces/${ns}/rolebindings`, { metadata: { name }, roleRef, subjects });
}

const readMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const mapsIn = (ns: string) => `/api/v1/namespaces/${ns}/configmaps`;

const forbidden = (message: string, details: object) => ({ code: 403, reason: 'Forbidden', message, details });

/** Authorization. */
export const access: Subject = {
  name: 'RBAC',
  cases: {
    'a refusal names the missing right': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const somebody = t.as({ user });
      expect(refusalOf(await somebody.get(`${mapsIn(ns)}/a`))).toEqual(
        forbidden(
          `configmaps "a" is forbidden: User "${user}" cannot get resource "configmaps" in API group "" in the namespace "${ns}"`,
          { name: 'a', kind: 'configmaps' },
        ),
      );
      expect(refusalOf(await somebody.get('/api/v1/nodes'))).toEqual(
        forbidden(
          `nodes is forbidden: User "${user}" cannot list resource "nodes" in API group "" at the cluster scope`,
          {
            kind: 'nodes',
          },
        ),
      );
      expect(refusalOf(await somebody.post(`/apis/apps/v1/namespaces/${ns}/deployments`, {}))).toEqual(
        forbidden(
          `deployments.apps is forbidden: User "${user}" cannot create resource "deployments" in API group "apps" in the namespace "${ns}"`,
          { group: 'apps', kind: 'deployments' },
        ),
      );
    },
    'the verb is what the request does': async (t) => {
      const ns = await t.namespace();
      const somebody = t.as({ user: t.unique('user') });
      const verbOf = (answer: Parameters<typeof refusalOf>[0]) => / cannot (\w+) /.exec(refusalOf(answer).message)?.[1];
      expect(verbOf(await somebody.get(mapsIn(ns)))).toBe('list');
      expect(verbOf(await somebody.get(`${mapsIn(ns)}?watch=true`))).toBe('watch');
      expect(verbOf(await somebody.put(`${mapsIn(ns)}/a`, {}))).toBe('update');
      expect(verbOf(await somebody.patch(`${mapsIn(ns)}/a`, 'merge', {}))).toBe('patch');
      expect(verbOf(await somebody.delete(`${mapsIn(ns)}/a`))).toBe('delete');
      expect(verbOf(await somebody.delete(mapsIn(ns)))).toBe('deletecollection');
    },
    'a subresource is a resource of its own': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const path = `/api/v1/namespaces/${ns}/pods/p/status`;
      expect(refusalOf(await t.as({ user }).patch(path, 'merge', {})).message).toBe(
        `pods "p" is forbidden: User "${user}" cannot patch resource "pods/status" in API group "" in the namespace "${ns}"`,
      );
    },
    'a path that is no resource is forbidden by its path': async (t) => {
      const user = t.unique('user');
      expect(refusalOf(await t.as({ user }).get('/metrics'))).toEqual(
        forbidden(`forbidden: User "${user}" cannot get path "/metrics"`, {}),
      );
    },
    'a Role allows what it names, in its namespace only': async (t) => {
      const [ns, other] = [await t.namespace(), await t.namespace()];
      const user = t.unique('user');
      await grant(t, ns, { rules: [readMaps], subject: { kind: 'User', name: user } });
      const somebody = t.as({ user });
      await t.eventually(async () => successOf(await somebody.get(mapsIn(ns))));
      expect((await somebody.get(mapsIn(other))).code).toBe(403);
      expect((await somebody.get('/api/v1/configmaps')).code).toBe(403);
      expect((await somebody.post(mapsIn(ns), { metadata: { name: 'a' } })).code).toBe(403);
      expect((await somebody.get(`/api/v1/namespaces/${ns}/secrets`)).code).toBe(403);
    },
    'a right can be for certain names': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const rules = [{ ...readMaps, resourceNames: ['mine'] }];
      await grant(t, ns, { rules, subject: { kind: 'User', name: user } });
      await t.make(mapsIn(ns), { metadata: { name: 'mine' } });
      const somebody = t.as({ user });
      await t.eventually(async () => successOf(await somebody.get(`${mapsIn(ns)}/mine`)));
      expect((await somebody.get(`${mapsIn(ns)}/other`)).code).toBe(403);
      expect((await somebody.get(mapsIn(ns))).code).toBe(403);
      expect((await somebody.get(`${mapsIn(ns)}?fieldSelector=metadata.name%3Dmine`)).code).toBe(200);
    },
    'a group has the rights of its members': async (t) => {
      const ns = await t.namespace();
      const team = t.unique('team');
      await grant(t, ns, { rules: [readMaps], subject: { kind: 'Group', name: team } });
      await t.eventually(async () => successOf(await t.as({ user: 'x', groups: ['other', team] }).get(mapsIn(ns))));
      expect((await t.as({ user: 'x', groups: ['other'] }).get(mapsIn(ns))).code).toBe(403);
    },
    'a service account has the rights that its binding names': async (t) => {
      const ns = await t.namespace();
      await grant(t, ns, { rules: [readMaps], subject: { kind: 'ServiceAccount', name: 'robot', namespace: ns } });
      await t.eventually(async () =>
        successOf(await t.as({ user: `system:serviceaccount:${ns}:robot` }).get(mapsIn(ns))),
      );
    },
    'a ClusterRole can be bound in one namespace or everywhere': async (t) => {
      const ns = await t.namespace();
      const name = t.unique('role');
      await t.make(`${rbac}/clusterroles`, { metadata: { name }, rules: [readMaps] });
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
      const subject = (user: string) => [{ apiGroup: group, kind: 'User', name: user }];
      const [local, everywhere] = [t.unique('user'), t.unique('user')];
      await t.make(`${rbac}/namespaces/${ns}/rolebindings`, { metadata: { name }, roleRef, subjects: subject(local) });
      await t.make(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects: subject(everywhere) });
      await t.eventually(async () => {
        successOf(await t.as({ user: local }).get(mapsIn(ns)));
        successOf(await t.as({ user: everywhere }).get('/api/v1/configmaps'));
      });
      expect((await t.as({ user: local }).get('/api/v1/configmaps')).code).toBe(403);
    },
    'a right that is taken away is gone': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      await grant(t, ns, { rules: [readMaps], subject: { kind: 'User', name: user } });
      await t.eventually(async () => successOf(await t.as({ user }).get(mapsIn(ns))));
      await t.delete(`${rbac}/namespaces/${ns}/rolebindings`);
      await t.eventually(async () => expect((await t.as({ user }).get(mapsIn(ns))).code).toBe(403));
    },
    'a user cannot grant rights that the user does not have': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const manage = { apiGroups: [group], resources: ['roles'], verbs: ['create', 'get'] };
      await grant(t, ns, { rules: [manage], subject: { kind: 'User', name: user } });
      const body = { metadata: { name: 'more' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] };
      const answer = await t.eventually(async () => {
        const refused = await t.as({ user }).post(`${rbac}/namespaces/${ns}/roles`, body);
        expect(refusalOf(refused).message).toContain('attempting to grant');
        return refused;
      });
      expect(refusalOf(answer)).toEqual(
        forbidden(
          `roles.rbac.authorization.k8s.io "more" is forbidden: user "${user}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
          { name: 'more', group, kind: 'roles' },
        ),
      );
    },
    'the role of a binding cannot be changed': async (t) => {
      const ns = await t.namespace();
      await grant(t, ns, { rules: [readMaps], subject: { kind: 'User', name: 'x' } });
      const { items } = await t.list(`${rbac}/namespaces/${ns}/rolebindings`);
      const name = items[0]?.metadata.name ?? '';
      const patch = { roleRef: { name: 'other' } };
      expect(refusalOf(await t.patch(`${rbac}/namespaces/${ns}/rolebindings/${name}`, 'merge', patch))).toEqual(
        invalid(
          'RoleBinding.rbac.authorization.k8s.io',
          name,
          'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
        ),
      );
    },
    'a rule needs verbs, and a cluster-wide path is for ClusterRoles': async (t) => {
      const ns = await t.namespace();
      const roles = `${rbac}/namespaces/${ns}/roles`;
      expect(
        refusalOf(await t.post(roles, { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['x'] }] })),
      ).toEqual(
        invalid(
          'Role.rbac.authorization.k8s.io',
          'r',
          'rules[0].verbs: Required value: verbs must contain at least one value',
        ),
      );
      const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
      expect(refusalOf(await t.post(roles, { metadata: { name: 'r' }, rules }))).toEqual(
        invalid(
          'Role.rbac.authorization.k8s.io',
          'r',
          'rules[0].nonResourceURLs: Invalid value: ["/metrics"]: namespaced rules cannot apply to non-resource URLs',
        ),
      );
    },
    'a subject of a binding must be complete': async (t) => {
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
      const name = t.unique('binding');
      const body = { metadata: { name }, roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] };
      expect(refusalOf(await t.post(`${rbac}/clusterrolebindings`, body))).toEqual(
        invalid('ClusterRoleBinding.rbac.authorization.k8s.io', name, 'subjects[0].namespace: Required value'),
      );
    },
    'the roles that every cluster has are there': async (t) => {
      for (const name of ['cluster-admin', 'admin', 'edit', 'view', 'system:discovery', 'system:basic-user']) {
        const { metadata } = await t.read(`${rbac}/clusterroles/${name}`);
        expect(metadata.labels?.['kubernetes.io/bootstrapping']).toBe('rbac-defaults');
      }
    },
    'view reads everything but Secrets, edit writes them, too, and neither touches roles': async (t) => {
      const ns = await t.namespace();
      const bind = async (role: string) => {
        const user = t.unique(role);
        const roleRef = { apiGroup: group, kind: 'ClusterRole', name: role };
        const subjects = [{ apiGroup: group, kind: 'User', name: user }];
        await t.make(`${rbac}/namespaces/${ns}/rolebindings`, { metadata: { name: role }, roleRef, subjects });
        const somebody = t.as({ user });
        await t.eventually(async () => successOf(await somebody.get(mapsIn(ns))));
        return somebody;
      };
      const [viewer, editor, boss] = [await bind('view'), await bind('edit'), await bind('admin')];
      const secrets = `/api/v1/namespaces/${ns}/secrets`;
      expect((await viewer.get(`/apis/apps/v1/namespaces/${ns}/deployments`)).code).toBe(200);
      expect((await viewer.get(secrets)).code).toBe(403);
      expect((await viewer.post(mapsIn(ns), { metadata: { name: 'v' } })).code).toBe(403);
      expect((await editor.get(secrets)).code).toBe(200);
      expect((await editor.post(mapsIn(ns), { metadata: { name: 'e' } })).code).toBe(201);
      expect((await editor.get(`${rbac}/namespaces/${ns}/roles`)).code).toBe(403);
      expect((await boss.get(`${rbac}/namespaces/${ns}/roles`)).code).toBe(200);
    },
    'a ClusterRole that aggregates gathers the rules of those with its labels': async (t) => {
      const [whole, part] = [t.unique('whole'), t.unique('part')];
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [`example.com/to-${whole}`]: 'true' } }] };
      await t.make(`${rbac}/clusterroles`, { metadata: { name: whole }, aggregationRule, rules: [] });
      const labels = { [`example.com/to-${whole}`]: 'true' };
      await t.make(`${rbac}/clusterroles`, { metadata: { name: part, labels }, rules: [readMaps] });
      await t.eventually(async () => {
        const role = await t.read(`${rbac}/clusterroles/${whole}`);
        expect(role).toMatchObject({ rules: [{ ...readMaps }] });
      });
      await t.delete(`${rbac}/clusterroles/${part}`);
      await t.eventually(async () => {
        const role = await t.read<{ rules: unknown }>(`${rbac}/clusterroles/${whole}`);
        expect(role.rules ?? []).toEqual([]);
      });
    },
    'rules added to view apply to its holders': async (t) => {
      const ns = await t.namespace();
      const [name, user] = [t.unique('part'), t.unique('user')];
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
      const subjects = [{ apiGroup: group, kind: 'User', name: user }];
      await t.make(`${rbac}/namespaces/${ns}/rolebindings`, { metadata: { name }, roleRef, subjects });
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
      expect((await t.as({ user }).get(leases)).code).toBe(403);
      const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
      const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] }];
      await t.make(`${rbac}/clusterroles`, { metadata: { name, labels }, rules });
      await t.eventually(async () => successOf(await t.as({ user }).get(leases)));
    },
    'a right for everything in a group covers kinds that come later': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
      await grant(t, ns, { rules, subject: { kind: 'User', name: user } });
      await t.eventually(async () => successOf(await t.as({ user }).get(`/api/v1/namespaces/${ns}/pods`)));
      expect((await t.as({ user }).get('/api/v1/namespaces')).code).toBe(403);
    },
  },
};
