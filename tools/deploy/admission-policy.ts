// SPDX-License-Identifier: Apache-2.0
/**
 * What keeps others from changing what the operator notes on its objects. The API server evaluates it by itself, without a webhook. An
 * operator is whoever has the verb `operate`, which every role in deploy/ has: so operators of one namespace and of all of them may
 * work side by side, and nobody can give the verb to himself.
 */
import { labels, type Manifest, name } from './operator-objects.ts';

const group = 'etcd.database.coreos.com';
const apiVersion = 'admissionregistration.k8s.io/v1';

/** The garbage collector takes owner references away when an EtcdCluster is deleted and its objects are to stay. */
const exemptAccounts = [
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:generic-garbage-collector',
] as const;

/** How one policy is told from another, and what it is about. */
export interface AdmissionPolicy {
  readonly suffix: 'objects' | 'identity';
  readonly spec: object;
}

/** @param exempt accounts that it does not count for, as a list in CEL */
export function admissionPolicies(exempt: string): readonly AdmissionPolicy[] {
  return [
    { suffix: 'objects', spec: ofObjects(exempt) },
    { suffix: 'identity', spec: ofIdentity(exempt) },
  ];
}

/** Both policies and their bindings, for all namespaces. */
export function admissionManifests(): readonly Manifest[] {
  const exempt = `[${exemptAccounts.map((account) => `'${account}'`).join(', ')}]`;
  return admissionPolicies(exempt).flatMap(({ suffix, spec }) => {
    const metadata = { name: `${name}-${suffix}`, labels };
    return [
      { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec },
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata,
        spec: { policyName: metadata.name, validationActions: ['Deny'] },
      },
    ];
  });
}

/** Labels and annotations of the operator, wherever they are, and what else marks an object that it made. */
function ofObjects(exempt: string): object {
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        rule('', 'v1', ['pods', 'pods/status', 'persistentvolumeclaims', 'persistentvolumeclaims/status']),
        rule('', 'v1', ['services', 'services/status', 'bindings', 'pods/binding']),
        rule(group, 'v1beta2', ['etcdclusters', 'etcdbackups', 'etcdrestores']),
      ],
    },
    matchConditions: [{ name: 'an-object-of-ours', expression: isConcerned }, notExempt(exempt)],
    variables: [
      mayOperate,
      { name: 'isMade', expression: `oldObject != null && ${isMade('oldObject')}` },
      { name: 'isNoted', expression: `oldObject != null && (${isMarked('oldObject')})` },
      { name: 'before', expression: `oldObject == null ? [] : ${marks('oldObject')}` },
      { name: 'after', expression: marks('object') },
      { name: 'changed', expression: differences },
    ],
    validations: [
      {
        expression: 'variables.changed.size() == 0 || variables.mayOperate',
        message: `labels and annotations ${group}/* can be changed only by the etcd operator`,
        messageExpression: `'Only the etcd operator can change this: ' + variables.changed.join(', ') + '. Leave it as it is; the verb "operate" on etcdclusters is for operators.'`,
        reason: 'Forbidden',
      },
    ],
  };
}

/** By what the operator knows that a cluster has data. */
function ofIdentity(exempt: string): object {
  const fields = ['clusterID', 'incarnation', 'restore'];
  return {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [rule(group, 'v1beta2', ['etcdclusters/status'], ['UPDATE'])] },
    matchConditions: [notExempt(exempt)],
    variables: [mayOperate],
    validations: fields.map((field) => ({
      expression: `(${isSame(field)}) || variables.mayOperate`,
      message: `Only the etcd operator can change status.${field}: it says which data the cluster has. Use an EtcdRestore to begin with other data.`,
      reason: 'Forbidden',
    })),
  };
}

function rule(
  apiGroup: string,
  version: string,
  resources: readonly string[],
  operations: readonly string[] = ['CREATE', 'UPDATE'],
): object {
  return { apiGroups: [apiGroup], apiVersions: [version], operations, resources };
}

/** Variables are evaluated where they are needed: the authorizer is asked only about a change. */
const mayOperate = {
  name: 'mayOperate',
  expression: `authorizer.group('${group}').resource('etcdclusters').namespace(request.namespace).check('operate').allowed()`,
};

const notExempt = (exempt: string) => ({
  name: 'not-exempt',
  expression: `!(request.userInfo.username in ${exempt})`,
});

type Place = 'object' | 'oldObject';

/** Whose objects they are, in which life, is the operator's; which operator looks after an object is the user's. */
const isKey = `key.startsWith('${group}/') && key != '${group}/scope'`;

const isMade = (at: Place) =>
  `has(${at}.metadata.ownerReferences)\n  && ${at}.metadata.ownerReferences.exists(owner, owner.kind == 'EtcdCluster' && owner.apiVersion.startsWith('${group}/'))`;

const isMarked = (at: Place) =>
  ['labels', 'annotations']
    .map((field) => `(has(${at}.metadata.${field}) && ${at}.metadata.${field}.exists(key, ${isKey}))`)
    .join('\n  || ');

const isConcerned = `${isMarked('object')}\n  || (oldObject != null && (${isMarked('oldObject')}\n  || (${isMade('oldObject')})))`;

/** Everything on an object that is the operator's, one text each. CoreOS's names count only on what an EtcdCluster owns. */
function marks(at: Place): string {
  const list = (field: 'labels' | 'annotations', what: string, old: string) =>
    `(has(${at}.metadata.${field})\n    ? ${at}.metadata.${field}.map(key, (${isKey}) || (variables.isMade && ${old}), '${what} ' + key + '=' + ${at}.metadata.${field}[key])\n    : [])`;
  const owners = `(variables.isMade && has(${at}.metadata.ownerReferences)\n    ? ${at}.metadata.ownerReferences.map(owner, 'owner ' + owner.kind + ' ' + owner.name + ' ' + owner.uid)\n    : [])`;
  return [
    list('labels', 'label', `key in ['app', 'etcd_cluster', 'etcd_node']`),
    // CoreOS's operator writes this one on pods that are not adopted yet.
    list('annotations', 'annotation', `key == 'etcd.version' && variables.isNoted`),
    owners,
  ].join('\n  + ');
}

const differences =
  'variables.before.filter(mark, !(mark in variables.after))\n  + variables.after.filter(mark, !(mark in variables.before))';

const isSame = (field: string) =>
  `(${has('oldObject', field)}) == (${has('object', field)})\n  && (!(${has('object', field)}) || oldObject.status.${field} == object.status.${field})`;

const has = (at: Place, field: string) => `has(${at}.status) && has(${at}.status.${field})`;
