// SPDX-License-Identifier: Apache-2.0

import { type Place, type ProgramName, policyRules } from '@etcd-operator/tools/deploy';
import type { RecordedCall } from '@etcd-operator/tools/deploy/testing';
import {
  type Client,
  clusterRoleBindings,
  clusterRoles,
  createClient,
  roleBindings,
  roles,
} from '@operator-parts/kube';
import type { Lab } from '@operator-parts/kube-lab';

/** A client with only the permissions of one program, and a record of its requests. */
export interface LimitedAccount {
  readonly client: Client;
  readonly calls: readonly RecordedCall[];
}

const namespace = 'default';
const apiGroup = 'rbac.authorization.k8s.io';

/**
 * An account with the permissions that deploy/ gives to a program: some cluster-wide, some in the namespace that it runs in. The lab's API
 * server rejects all other requests.
 */
export async function limitedAccount(
  lab: Lab,
  program: ProgramName,
  rightsOf: { readonly everywhere: readonly Place[]; readonly own: readonly Place[] },
): Promise<LimitedAccount> {
  const admin = lab.client();
  const name = `limited-${program}`;
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const rules = (places: readonly Place[]) => policyRules([program], places);
  const metadata = { name, namespace };
  await admin.resource(roles).create({ metadata, rules: rules(rightsOf.own) });
  await admin.resource(roleBindings).create({ metadata, roleRef: { apiGroup, kind: 'Role', name }, subjects });
  await admin.resource(clusterRoles).create({ metadata: { name }, rules: rules(rightsOf.everywhere) });
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  await admin.resource(clusterRoleBindings).create({ metadata: { name }, roleRef, subjects });
  const transport = lab.server.transport({
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  });
  const calls: RecordedCall[] = [];
  const client = createClient({
    request: async (request) => {
      const response = await transport.request(request);
      const call = callOf(request.method, request.path);
      if (call) calls.push({ ...call, account: name, isForbidden: response.status === 403 });
      return response;
    },
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  });
  return { client, calls };
}

const changes: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** The verb and the resource that RBAC checks for a request. */
function callOf(method: string, path: string): Omit<RecordedCall, 'account' | 'isForbidden'> | undefined {
  const { pathname, searchParams } = new URL(path, 'http://lab');
  const [root, ...parts] = pathname.split('/').filter((part) => part !== '');
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (parts.shift() ?? '');
  const [, ...names] = parts;
  if (names.length === 0) return undefined;
  const [plural = '', one = '', sub] = names[0] === 'namespaces' && names.length > 2 ? names.slice(2) : names;
  const resource = sub === undefined ? plural : `${plural}/${sub}`;
  const asked = /^metadata\.name==?([^,]+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1] ?? '';
  const reading = searchParams.get('watch') === 'true' ? 'watch' : one === '' ? 'list' : 'get';
  return { verb: changes[method] ?? reading, group, resource, name: one === '' ? asked : one };
}
