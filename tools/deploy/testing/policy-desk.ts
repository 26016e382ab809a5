// SPDX-License-Identifier: Apache-2.0
/** A namespace with an operator's objects, and all users who may try to change them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { successOf } from '../../../test/conformance/answer.ts';
import type { Caller } from '../../../test/conformance/caller.ts';
import type { Trial } from '../../../test/conformance/trial.ts';
import { repositoryRoot } from '../../repository-root.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'etcd.database.coreos.com';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

const paths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  ValidatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
};

/** Creates the objects of files in deploy/, unchanged. */
export async function install(trial: Trial): Promise<void> {
  const kinds = ['etcdclusters', 'etcdbackups', 'etcdrestores'].map((kind) => `crds/${kind}.yaml`);
  for (const file of [...kinds, 'cluster-wide/cluster-role.yaml', 'admission-policy.yaml']) {
    for (const manifest of manifestsOf(file)) await trial.make(paths[manifest.kind] ?? manifest.kind, manifest);
  }
}

function manifestsOf(file: string): readonly Manifest[] {
  const text = readFileSync(join(repositoryRoot, 'deploy', file), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function golden(name: string): Manifest {
  return parse(
    readFileSync(
      join(repositoryRoot, 'apps', 'operator', 'src', 'cluster', 'objects', 'golden', `${name}.json`),
      'utf8',
    ),
  ) as Manifest;
}

export interface Desk {
  readonly namespace: string;
  readonly tenant: Caller;
  readonly operators: Readonly<Record<'everywhere' | 'of the namespace', Caller>>;
  readonly kubelet: Caller;
  readonly scheduler: Caller;
  readonly collector: Caller;
  readonly pods: string;
  readonly pod: string;
  readonly podName: string;
  readonly podSpec: object;
  readonly memberId: string;
  readonly keptPodName: string;
  readonly claims: string;
  readonly claim: string;
  readonly claimSpec: object;
  readonly keptClaim: string;
  readonly service: string;
  readonly cluster: string;
  readonly coreosPod: Manifest;
}

export async function openDesk(t: Trial): Promise<Desk> {
  const namespace = await t.podNamespace();
  const core = `/api/v1/namespaces/${namespace}`;
  const account = `system:serviceaccount:${namespace}:etcd-operator`;
  await grantAll(t, namespace, account);
  const operators = {
    everywhere: t.as({ user: 'system:serviceaccount:etcd-operator:etcd-operator' }),
    'of the namespace': t.as({ user: account }),
  };
  const clusters = `/apis/${group}/v1beta2/namespaces/${namespace}/etcdclusters`;
  const declared = { apiVersion: `${group}/v1beta2`, kind: 'EtcdCluster', metadata: { name: 'example' } };
  const cluster = await t.eventually(() => t.make(clusters, { ...declared, spec: { size: 3, version: '3.6.16' } }));
  const status = { status: { clusterID: 'abc', incarnation: 1 } };
  successOf(await t.patch(`${clusters}/example/status`, 'merge', status));
  const owned = (manifest: Manifest, metadata: object = {}): Manifest => {
    const [owner] = manifest.metadata['ownerReferences'] as readonly object[];
    const ownerReferences = [{ ...owner, uid: cluster.metadata.uid }];
    return { ...manifest, metadata: { ...manifest.metadata, namespace, ownerReferences, ...metadata } };
  };
  const pod = owned(golden('pod-voter'));
  await t.make(`${core}/pods`, pod);
  await t.make(`${core}/pods`, owned(golden('pod-seed'), { name: 'example-kept' }));
  const service = owned(golden('service-client'));
  await t.make(`${core}/services`, service);
  const claim = owned(golden('volume'));
  await t.make(`${core}/persistentvolumeclaims`, claim);
  const labels = { ...(claim.metadata['labels'] as object), [`${group}/kept-by-restore`]: 'restore-uid' };
  await t.make(`${core}/persistentvolumeclaims`, owned(claim, { name: 'kept', labels }));
  const notes = pod.metadata['annotations'] as Readonly<Record<string, string>>;
  const podSpec = { containers: [{ name: 'c', image: 'i' }] };
  const old = { app: 'etcd', etcd_cluster: 'example', etcd_node: 'example-0001' };
  return {
    namespace,
    tenant: t.as({ user: 'tenant' }),
    operators,
    kubelet: t.as({ user: 'system:node:n', groups: ['system:nodes'] }),
    scheduler: t.as({ user: 'system:kube-scheduler' }),
    collector: t.as({ user: 'system:serviceaccount:kube-system:generic-garbage-collector' }),
    pods: `${core}/pods`,
    pod: `${core}/pods/${pod.metadata.name}`,
    podName: pod.metadata.name,
    podSpec,
    memberId: notes[`${group}/member-id`] ?? '',
    keptPodName: 'example-kept',
    claims: `${core}/persistentvolumeclaims`,
    claim: `${core}/persistentvolumeclaims/${claim.metadata.name}`,
    claimSpec: claim['spec'] as object,
    keptClaim: `${core}/persistentvolumeclaims/kept`,
    service: `${core}/services/${service.metadata.name}`,
    cluster: `${clusters}/example`,
    coreosPod: owned(
      { kind: 'Pod', metadata: { ...pod.metadata, labels: old, annotations: {} }, spec: podSpec },
      { annotations: { 'etcd.version': '3.2.13' } },
    ),
  };
}

async function grantAll(t: Trial, namespace: string, account: string): Promise<void> {
  await grant(t, namespace, 'etcd-operator', account, roleOfBase());
  // All rights of the built-in role for users of a namespace, and the additional ones that an administrator may have
  // granted.
  await bind(t, namespace, 'people', 'tenant', { kind: 'ClusterRole', name: 'admin' });
  await grant(t, namespace, 'more', 'tenant', [
    may('', ['pods/status', 'services/status', 'persistentvolumeclaims/status'], ['patch']),
    may('', ['pods/binding'], ['create']),
    may(group, ['etcdclusters', 'etcdclusters/status'], ['patch', 'get']),
  ]);
  await grant(t, namespace, 'kubelet', 'system:node:n', [may('', ['pods/status'], ['patch'])]);
}

function roleOfBase(): readonly object[] {
  const role = manifestsOf('base/role.yaml').find(({ kind }) => kind === 'Role');
  return role?.['rules'] as readonly object[];
}

const may = (apiGroup: string, resources: readonly string[], verbs: readonly string[]) => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

async function grant(t: Trial, namespace: string, name: string, user: string, rules: readonly object[]): Promise<void> {
  await t.make(`${rbac}/namespaces/${namespace}/roles`, { metadata: { name }, rules });
  await bind(t, namespace, name, user, { kind: 'Role', name });
}

async function bind(t: Trial, namespace: string, name: string, user: string, roleRef: object): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await t.make(`${rbac}/namespaces/${namespace}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, ...roleRef },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
}
