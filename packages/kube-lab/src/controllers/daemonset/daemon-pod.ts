// SPDX-License-Identifier: Apache-2.0
import type { DaemonSet, Node, NodeSelectorTerm, Pod, PodSpec, Toleration } from '@operator-parts/kube';
import { selectsNode } from '../scheduler/node-selection.ts';
import { covers } from '../scheduler/taints.ts';
import { controllerReference, podFromTemplate } from '../workloads/owned-pods.ts';
import { revisionHash } from '../workloads/revisions.ts';

/** The label with the template hash of a pod. */
export const hashLabel = 'controller-revision-hash';

const prefix = 'node.kubernetes.io';

/** The tolerations that every daemon pod gets automatically. */
function daemonTolerations(spec: PodSpec): readonly Toleration[] {
  const tolerated: readonly (readonly [string, NonNullable<Toleration['effect']>])[] = [
    ['not-ready', 'NoExecute'],
    ['unreachable', 'NoExecute'],
    ['disk-pressure', 'NoSchedule'],
    ['memory-pressure', 'NoSchedule'],
    ['pid-pressure', 'NoSchedule'],
    ['unschedulable', 'NoSchedule'],
    ...(spec.hostNetwork ? ([['network-unavailable', 'NoSchedule']] as const) : []),
  ];
  return tolerated.map(([key, effect]) => ({ key: `${prefix}/${key}`, operator: 'Exists', effect }));
}

/** The pod of a DaemonSet for one node. The scheduler places it: its affinity allows only that node. */
export function daemonPod(set: DaemonSet, node: string): Pod {
  const { name = '', namespace = '', annotations } = set.metadata ?? {};
  const generation = annotations?.['deprecated.daemonset.template.generation'];
  const labels = {
    [hashLabel]: revisionHash(set),
    ...(generation !== undefined && { 'pod-template-generation': generation }),
  };
  const template = set.spec?.template ?? {};
  const reference = controllerReference(set, 'apps/v1', 'DaemonSet');
  const pod = podFromTemplate(template, reference, { generateName: `${name}-`, namespace, labels });
  return pod.spec ? { ...pod, spec: onNode(withTolerations(pod.spec), node) } : pod;
}

function withTolerations(spec: PodSpec): PodSpec {
  const own = spec.tolerations ?? [];
  const added = daemonTolerations(spec).filter(
    ({ key, effect }) => !own.some((one) => one.key === key && one.effect === effect && one.operator === 'Exists'),
  );
  return { ...spec, tolerations: [...own, ...added] };
}

function onNode(spec: PodSpec, node: string): PodSpec {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  const { nodeAffinity } = spec.affinity ?? {};
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const nodeSelectorTerms: readonly NodeSelectorTerm[] = terms?.map((term) => ({ ...term, matchFields })) ?? [
    { matchFields },
  ];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] } };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity: { ...nodeAffinity, ...required } } };
}

/** The node of a daemon pod; before the pod is scheduled, the node for which it was created. */
export function targetNode(pod: Pod): string {
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return pod.spec?.nodeName || fields.find(({ key }) => key === 'metadata.name')?.values?.[0] || '';
}

/** Whether a DaemonSet wants a pod on a node, and whether an existing pod may stay. */
export function fitness(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const spec = withTolerations(set.spec?.template.spec ?? { containers: [] });
  const named = spec.nodeName === undefined || spec.nodeName === '' || spec.nodeName === node.metadata?.name;
  if (!named || !selectsNode({ spec }, node)) return { run: false, stay: false };
  const bad = (node.spec?.taints ?? [])
    .filter((taint) => !spec.tolerations?.some((toleration) => covers(toleration, taint)))
    .map(({ effect }) => effect);
  const stay = !bad.includes('NoExecute');
  return { run: stay && !bad.includes('NoSchedule'), stay };
}
