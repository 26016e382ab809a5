// SPDX-License-Identifier: Apache-2.0
/**
 * Protects the operator's records on its objects from other users. The API server evaluates the policy itself, without
 * a webhook. An operator is an account with the verb `operate`, which every role in deploy/ has: so operators for one
 * namespace and for all can run together, and users cannot grant themselves the verb.
 */
import { labels, type Manifest, name } from './operator-objects.ts';

const group = 'etcd.database.coreos.com';
const apiVersion = 'admissionregistration.k8s.io/v1';

/** The garbage collector removes owner references when an EtcdCluster is deleted and its objects are kept. */
const exemptAccounts = [
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:generic-garbage-collector',
] as const;

/** The name and subject of a policy. */
export interface AdmissionPolicy {
  readonly suffix: 'objects' | 'identity';
  readonly spec: object;
}

/** @param exempt accounts that the policy does not apply to, as a list in CEL */
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

/** Labels and annotations of the operator on any object, and the other marks of an object that it created. */
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

/** The records that a cluster has data. */
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

/** Variables are evaluated lazily: the authorizer is called only for a change. */
const mayOperate = {
  name: 'mayOperate',
  expression: `authorizer.group('${group}').resource('etcdclusters').namespace(request.namespace).check('operate').allowed()`,
};

const notExempt = (exempt: string) => ({
  name: 'not-exempt',
  expression: `!(request.userInfo.username in ${exempt})`,
});

type Place = 'object' | 'oldObject';

/**
 * The operator decides to which cluster and incarnation an object belongs; the user decides which operator manages it.
 */
const isKey = `key.startsWith('${group}/') && key != '${group}/scope'`;

const isMade = (at: Place) =>
  `has(${at}.metadata.ownerReferences)\n  && ${at}.metadata.ownerReferences.exists(owner, owner.kind == 'EtcdCluster' && owner.apiVersion.startsWith('${group}/'))`;

const isMarked = (at: Place) =>
  ['labels', 'annotations']
    .map((field) => `(has(${at}.metadata.${field}) && ${at}.metadata.${field}.exists(key, ${isKey}))`)
    .join('\n  || ');

const isConcerned = `${isMarked('object')}\n  || (oldObject != null && (${isMarked('oldObject')}\n  || (${isMade('oldObject')})))`;

/**
 * All values on an object that belong to the operator, one text each. CoreOS's names count only on objects owned by an
 * EtcdCluster.
 */
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
