// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asString, ensureObject, getIn, type JsonObject } from '../json/json.ts';
import { systemPriorities } from '../registry/other/classes.ts';
import { quantityNanos } from '../schema/quantity-text.ts';
import { forbidden } from '../server/api-error.ts';
import type { AdmissionStep } from './admission-request.ts';

interface Priority {
  readonly name: string;
  readonly value: number;
  readonly policy: string;
}

const noPriority: Priority = { name: '', value: 0, policy: 'PreemptLowerPriority' };

function priorityOf(object: JsonObject): Priority {
  return {
    name: asString(getIn(object, 'metadata', 'name')) ?? '',
    value: asNumber(object['value']) ?? 0,
    policy: asString(object['preemptionPolicy']) ?? noPriority.policy,
  };
}

/** The default priority class; the lowest if there are several. */
function defaultPriority(classes: readonly JsonObject[]): Priority {
  const marked = classes.filter((one) => one['globalDefault'] === true).map(priorityOf);
  return marked.sort((a, b) => a.value - b.value)[0] ?? noPriority;
}

/** Fills in the priority of a pod from its class. */
export const priorityAdmission: AdmissionStep = ({ call, operation, object, name }) => {
  if (call.resource.collection !== 'pods' || operation !== 'CREATE' || !object) return;
  const spec = ensureObject(object, 'spec');
  const className = asString(spec['priorityClassName']) ?? '';
  const classes = call.core.store.list('priorityclasses.scheduling.k8s.io').map((stored) => stored.object);
  const known =
    className === '' ? defaultPriority(classes) : classes.map(priorityOf).find((one) => one.name === className);
  if (!known) throw forbidden(call.resource, name, `no PriorityClass with name ${className} was found`);
  const { value: priority, policy } = known;
  const computed = (what: string, given: unknown, right: unknown) =>
    forbidden(
      call.resource,
      name,
      `the ${what} (${String(given)}) must not be provided in pod spec; priority admission controller computed ${String(right)} from the given PriorityClass name`,
    );
  if (spec['priority'] !== undefined && spec['priority'] !== priority) {
    throw computed('integer value of priority', spec['priority'], priority);
  }
  if (spec['preemptionPolicy'] !== undefined && spec['preemptionPolicy'] !== policy) {
    throw computed('string value of PreemptionPolicy', spec['preemptionPolicy'], policy);
  }
  if (known.name !== '') spec['priorityClassName'] = known.name;
  spec['priority'] = priority;
  spec['preemptionPolicy'] = policy;
};

/** Refuses pods whose RuntimeClass does not exist. The settings of the class have no effect in the lab. */
export const runtimeClassAdmission: AdmissionStep = ({ call, operation, object, name }) => {
  if (call.resource.collection !== 'pods' || operation !== 'CREATE' || !object) return;
  const className = asString(getIn(object, 'spec', 'runtimeClassName'));
  if (className === undefined || call.core.store.get('runtimeclasses.node.k8s.io', className)) return;
  throw forbidden(call.resource, name, `pod rejected: RuntimeClass "${className}" not found`);
};

/** Refuses to delete the two classes that every cluster has. */
export const systemClassAdmission: AdmissionStep = ({ call, operation, name }) => {
  if (call.resource.collection !== 'priorityclasses.scheduling.k8s.io' || operation !== 'DELETE') return;
  if (!systemPriorities[name]) return;
  throw forbidden(call.resource, name, 'this is a system priority class and cannot be deleted');
};

const nodeTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Adds the default tolerations: pods stay for five minutes on a node that is not ready or unreachable. */
export const defaultTolerations: AdmissionStep = ({ call, operation, object }) => {
  if (call.resource.collection !== 'pods' || !object || call.info.subresource !== '') return;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return;
  const spec = ensureObject(object, 'spec');
  const present = asArray(spec['tolerations']).map((one) => asObject(one) ?? {});
  const missing = nodeTaints.filter((key) => !present.some((toleration) => tolerates(toleration, key)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  // The spec is copied first: if a write changes only labels, it is the stored spec, which must not be modified.
  object['spec'] = { ...spec, tolerations: [...present, ...added] };
};

function tolerates({ key, effect }: JsonObject, taint: string): boolean {
  return (
    (key === taint || key === undefined || key === '') &&
    (effect === 'NoExecute' || effect === undefined || effect === '')
  );
}

/** Sets the default storage class, if there is one, on PVCs without a class. */
export const defaultStorageClass: AdmissionStep = ({ call, operation, object }) => {
  if (call.resource.collection !== 'persistentvolumeclaims' || operation !== 'CREATE' || !object) return;
  const spec = ensureObject(object, 'spec');
  if (spec['storageClassName'] !== undefined) return;
  const classes = call.core.store.list('storageclasses.storage.k8s.io').map((stored) => stored.object);
  const marked = classes.filter((one) => {
    const annotations = asObject(asObject(one['metadata'])?.['annotations']) ?? {};
    return annotations['storageclass.kubernetes.io/is-default-class'] === 'true';
  });
  const created = (one: JsonObject) => String(asObject(one['metadata'])?.['creationTimestamp']);
  const [newest] = marked.sort((a, b) => (created(a) > created(b) ? -1 : 1));
  const name = asObject(newest?.['metadata'])?.['name'];
  if (typeof name === 'string') spec['storageClassName'] = name;
};

/** Adds the finalizers that keep a PVC while a pod uses it, and a PersistentVolume while it is bound. */
export const storageProtection: AdmissionStep = ({ call, operation, object }) => {
  if (operation !== 'CREATE' || !object) return;
  const finalizer = {
    persistentvolumeclaims: 'kubernetes.io/pvc-protection',
    persistentvolumes: 'kubernetes.io/pv-protection',
  }[call.resource.collection];
  if (finalizer === undefined) return;
  const metadata = ensureObject(object, 'metadata');
  const present = asArray(metadata['finalizers']).map(String);
  if (!present.includes(finalizer)) metadata['finalizers'] = [...present, finalizer];
};

/** Refuses to enlarge a PVC whose storage class does not allow it. */
export const claimResize: AdmissionStep = ({ call, operation, object, old, name }) => {
  if (call.resource.collection !== 'persistentvolumeclaims' || operation !== 'UPDATE' || call.info.subresource !== '')
    return;
  const amount = (one: JsonObject | undefined) =>
    quantityNanos(String(getIn(one, 'spec', 'resources', 'requests', 'storage') ?? '0')) ?? 0n;
  if (getIn(old, 'status', 'phase') !== 'Bound' || amount(object) <= amount(old)) return;
  const className = asString(getIn(old, 'spec', 'storageClassName')) ?? '';
  const stored = call.core.store.get('storageclasses.storage.k8s.io', className);
  if (stored?.object['allowVolumeExpansion'] === true) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbidden(call.resource, name, why);
};
