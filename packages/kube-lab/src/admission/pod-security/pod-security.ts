// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, getIn, type JsonObject } from '../../json/json.ts';
import { forbidden } from '../../server/api-error.ts';
import { invalidObject } from '../../validation/field-error.ts';
import type { AdmissionRequest, AdmissionStep } from '../admission-request.ts';
import { baselineChecks, type Violation } from './baseline-checks.ts';
import { viewOf } from './pod-view.ts';
import { isStricter, type LevelVersion, type Policy, policyOf, policyText } from './policy.ts';
import { restrictedChecks } from './restricted-checks.ts';

/** Where the kinds that create pods have their pod template; a Pod itself is the template. */
const templates: Readonly<Record<string, readonly string[]>> = {
  podtemplates: ['template'],
  replicationcontrollers: ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'replicasets.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
};

const unchecked = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/**
 * Pod Security: refuses pods that violate the level of their namespace, and warns about workloads that create such
 * pods.
 */
export const podSecurity: AdmissionStep = (request) => {
  const { call, operation, object } = request;
  if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
  const { collection } = call.resource;
  if (collection === 'namespaces') checkNamespace(request, object);
  else if (collection === 'pods') checkPod(request, object);
  else if (templates[collection] && call.info.subresource === '')
    warnOfTemplate(request, object, templates[collection]);
};

function policyFor({ call, namespace }: AdmissionRequest): Policy | undefined {
  const stored = call.core.store.get('namespaces', namespace);
  return policyOf(asObject(getIn(stored?.object, 'metadata', 'labels')));
}

function checkPod(request: AdmissionRequest, pod: JsonObject): void {
  const { call, old, name } = request;
  if (unchecked.has(call.info.subresource)) return;
  const policy = policyFor(request);
  if (!policy || (old && !isSignificant(pod, old))) return;
  const spec = asObject(pod['spec']) ?? {};
  const found = violations(policy.enforce, spec);
  if (found.length > 0) {
    const why = `violates PodSecurity "${policyText(policy.enforce)}": ${describe(found)}`;
    throw forbidden(call.resource, name, why);
  }
  warn(request, policy, spec);
}

function warnOfTemplate(request: AdmissionRequest, object: JsonObject, path: readonly string[]): void {
  const policy = policyFor(request);
  const spec = policy && asObject(getIn(object, ...path, 'spec'));
  if (policy && spec) warn(request, policy, spec);
}

function warn({ call }: AdmissionRequest, { warn: level }: Policy, spec: JsonObject): void {
  const found = violations(level, spec);
  if (found.length > 0) call.warn(`would violate PodSecurity "${policyText(level)}": ${describe(found)}`);
}

/** True if an update changes images or the list of containers. Other updates of a pod are not checked. */
function isSignificant(pod: JsonObject, old: JsonObject): boolean {
  const images = (object: JsonObject) =>
    ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
      asObjects(getIn(object, 'spec', list)).map((one) => `${String(one['name'])} ${String(one['image'])}`),
    );
  return images(pod).join('\n') !== images(old).join('\n');
}

/** Refuses invalid labels. If the level becomes stricter, warns about existing pods that violate it. */
function checkNamespace({ call, old, name }: AdmissionRequest, namespace: JsonObject): void {
  if (call.info.subresource !== '') return;
  const policy = policyOf(asObject(getIn(namespace, 'metadata', 'labels')));
  if (!policy) return;
  const before = old && policyOf(asObject(getIn(old, 'metadata', 'labels')));
  const known = new Set(before?.errors.map(({ field, message }) => `${field} ${message}`));
  if (policy.errors.some(({ field, message }) => !known.has(`${field} ${message}`))) {
    throw invalidObject({ group: '', kind: 'Namespace' }, name, policy.errors);
  }
  const then = before?.enforce ?? { level: 'privileged', version: 'latest' };
  const isSofter = policy.enforce.version === then.version && !isStricter(policy.enforce.level, then.level);
  if (old && !isSofter) for (const text of warningsOfPods(call, name, policy.enforce)) call.warn(text);
}

function warningsOfPods({ core }: AdmissionRequest['call'], namespace: string, level: LevelVersion): readonly string[] {
  const pods = new Map<string, string[]>();
  for (const { object } of core.store.list('pods', `${namespace}/`)) {
    const reasons = violations(level, asObject(object['spec']) ?? {}).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const warning = reasons.join(', ');
    pods.set(warning, [...(pods.get(warning) ?? []), String(getIn(object, 'metadata', 'name'))]);
  }
  if (pods.size === 0) return [];
  const told = [...pods].map(([warning, names]) => `${firstOf(names)}: ${warning}`).sort();
  const shown = `"${namespace}" violate the new PodSecurity enforce level "${policyText(level)}"`;
  return [`existing pods in namespace ${shown}`, ...told];
}

function firstOf(names: readonly string[]): string {
  const [first = '', ...others] = names.toSorted();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

function violations({ level }: LevelVersion, spec: JsonObject): readonly Violation[] {
  if (level === 'privileged') return [];
  const checks = level === 'baseline' ? baselineChecks : restrictedChecks;
  const view = viewOf(spec);
  return Object.values(checks).flatMap((check) => check(view) ?? []);
}

function describe(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}
