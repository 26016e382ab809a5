// SPDX-License-Identifier: Apache-2.0
import { type ContainerStatus, jsonEqual, type Pod } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { annotations, clearedInitialCluster, labels } from '../../api/names.ts';
import { bootStateArgument } from '../objects/etcd-container.ts';
import { isOwnedBy } from '../objects/owner.ts';
import type { LivePodField } from '../objects/pod-fields.ts';
import { canResize } from '../objects/resize/resize.ts';
import { differingFields, withResourcesOf } from '../objects/template.ts';
import { keysFromSpec, userMetadata } from '../objects/user-metadata.ts';
import type { Boot, ContainerFacts, Drift, MemberPod } from '../observation.ts';
import { firstIncarnation } from '../plan/identity/identify.ts';

/** What the planner needs to know about a pod. */
export function podFacts(pod: Pod, uid: string, spec: EtcdClusterSpec, seenSince: (key: string) => number): MemberPod {
  return {
    ...identityFacts(pod, uid),
    ...bootFacts(pod),
    ...lifecycleFacts(pod, seenSince),
    drift: isAdopted(pod) ? [] : driftOf(pod, spec),
  };
}

/**
 * True for pods of CoreOS etcd-operator: their boot values are fixed in the command line. They are recognized by the command line itself,
 * because any user can write annotations.
 */
function isAdopted({ spec }: Pod): boolean {
  const etcd = spec?.containers.find((container) => container.name === 'etcd');
  return !(etcd?.command?.includes(bootStateArgument) ?? false);
}

function identityFacts({ metadata = {}, ...pod }: Pod, uid: string) {
  const { name = '', resourceVersion = '', annotations: notes = {} } = metadata;
  return {
    name,
    uid: metadata.uid ?? '',
    resourceVersion,
    ownership: isOwnedBy({ ...pod, metadata }, uid) ? 'ours' : 'other',
    incarnation: incarnationOf(metadata.labels),
    clusterId: notes[annotations.clusterId] ?? '',
    memberId: notes[annotations.memberId] ?? '',
    bootstrapVersion: notes[annotations.bootstrapVersion] ?? '',
    markedVoter: metadata.labels?.[labels.voter] === 'true',
    isolated: metadata.labels?.[labels.app] !== 'etcd',
  } as const;
}

function bootFacts(pod: Pod) {
  const notes = pod.metadata?.annotations ?? {};
  return {
    adopted: isAdopted(pod),
    boot: isAdopted(pod) ? ('fixed' as const) : bootOf(notes),
    bootPeers: !isAdopted(pod) && bootOf(notes) === 'existing' ? bootPeersOf(notes) : [],
    image: pod.spec?.containers.find((container) => container.name === 'etcd')?.image ?? '',
    version: notes[annotations.version] ?? '',
    previousVersion: notes[annotations.previousVersion] ?? '',
    previousImage: notes[annotations.previousImage] ?? '',
    previousContainer: notes[annotations.previousContainer] ?? '',
    peerTLS: hasArgument(pod, '--peer-client-cert-auth=true'),
    clientTLS: hasArgument(pod, '--client-cert-auth=true'),
    snapshotCount: notes[annotations.snapshotCount] ?? '',
  };
}

/** Both CoreOS etcd-operator and this operator pass the certificates of the listeners to etcd on its command line. */
function hasArgument({ spec }: Pod, argument: string): boolean {
  const etcd = spec?.containers.find((container) => container.name === 'etcd');
  return [...(etcd?.command ?? []), ...(etcd?.args ?? [])].includes(argument);
}

function lifecycleFacts(pod: Pod, seenSince: (key: string) => number) {
  const { metadata, spec, status } = pod;
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  const brokenSidecar = ready ? undefined : brokenSidecarOf(pod);
  return {
    terminating: metadata?.deletionTimestamp !== undefined,
    ...(metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0 && { forced: true }),
    // Kubernetes reports the whole pod as Pending while a sidecar has not started, although etcd runs.
    phase: phaseOf(brokenSidecar !== undefined && status?.phase === 'Pending' ? 'Running' : status?.phase),
    ready,
    ...(brokenSidecar !== undefined && { brokenSidecar }),
    createdAt: Date.parse(metadata?.creationTimestamp ?? '') || 0,
    seenSince: seenSince(metadata?.uid ?? ''),
    node: spec?.nodeName ?? '',
    ip: status?.podIP ?? '',
    data: dataOf(pod),
    freshVolume: metadata?.annotations?.[annotations.freshVolume] === 'true',
    container: containerFacts(pod, seenSince),
  };
}

/**
 * The container that keeps a pod from being Ready although etcd is ready. On a lost node the result may be outdated, because Kubernetes no
 * longer updates the state of containers.
 */
function brokenSidecarOf({ status }: Pod): string | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const etcd = containers.find(({ name }) => name === 'etcd');
  const other = containers.find(({ name, ready }) => name !== 'etcd' && ready !== true);
  if (etcd?.ready !== true || !other) return undefined;
  const { waiting, terminated } = other.state ?? {};
  return `${other.name} (${waiting?.reason ?? terminated?.reason ?? 'not ready'})`;
}

/** Objects of CoreOS etcd-operator have no incarnation label; they belong to the first incarnation. */
export function incarnationOf(found: Readonly<Record<string, string>> | undefined): number {
  const value = Number(found?.[labels.incarnation]);
  return Number.isSafeInteger(value) && value > 0 ? value : firstIncarnation;
}

function bootOf(notes: Readonly<Record<string, string>>): Boot {
  if (notes[annotations.initialCluster] === clearedInitialCluster) return 'cleared';
  return notes[annotations.initialClusterState] === 'new' ? 'new' : 'existing';
}

/** The URLs of `name=url,name=url`. */
function bootPeersOf(notes: Readonly<Record<string, string>>): readonly string[] {
  const entries = (notes[annotations.initialCluster] ?? '').split(',').filter((entry) => entry.includes('='));
  return entries.map((entry) => entry.slice(entry.indexOf('=') + 1)).sort();
}

function phaseOf(phase: string | undefined): MemberPod['phase'] {
  switch (phase) {
    case 'Pending':
    case 'Running':
    case 'Succeeded':
    case 'Failed':
      return phase;
    case undefined:
      return 'Pending';
    default:
      return 'Unknown';
  }
}

function dataOf({ spec }: Pod): MemberPod['data'] {
  const volume = spec?.volumes?.find((candidate) => candidate.name === 'etcd-data');
  if (volume?.persistentVolumeClaim) return 'claim';
  return volume?.emptyDir?.medium === 'Memory' ? 'memory' : 'emptyDir';
}

function containerFacts({ status }: Pod, seenSince: (key: string) => number): ContainerFacts {
  const found = status?.containerStatuses?.find((candidate) => candidate.name === 'etcd');
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  const init = status?.initContainerStatuses?.find(
    (candidate) => candidate.state?.waiting?.reason && candidate.state.waiting.reason !== 'PodInitializing',
  );
  const waiting = (init ?? found)?.state?.waiting;
  const ended = found?.state?.terminated;
  return {
    ...processFacts(found, seenSince),
    state: found?.state?.running ? 'running' : ended ? 'terminated' : waiting || !found ? 'waiting' : 'unknown',
    reason: waiting?.reason ?? ended?.reason ?? unscheduled?.reason ?? '',
    message: waiting?.message ?? ended?.message ?? unscheduled?.message ?? '',
    lastExit: lastExit(found),
  };
}

function processFacts(found: ContainerStatus | undefined, seenSince: (key: string) => number) {
  const { containerID: id = '', restartCount: restarts = 0, state, started } = found ?? {};
  const startedAt = Date.parse(state?.running?.startedAt ?? '') || 0;
  const hasStarted = started === true && state?.running !== undefined;
  return { id, restarts, startedAt, hasStarted, runningSince: state?.running ? seenSince(id) : 0 };
}

function lastExit(status: ContainerStatus | undefined): ContainerFacts['lastExit'] {
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  if (!ended || ended.exitCode === 0) return undefined;
  return { code: ended.exitCode, reason: ended.reason ?? '', message: ended.message ?? '' };
}

/** How a pod differs from the spec, and what is needed to apply each difference. */
function driftOf(pod: Pod, spec: EtcdClusterSpec): readonly Drift[] {
  const { metadata } = pod;
  const drift = differingFields(metadata?.annotations?.[annotations.template] ?? '{}', spec).map((field) => ({
    field,
    remedy: field === 'resources' && mayResize(pod, spec) ? ('resize' as const) : ('replace' as const),
  }));
  const isFollowed: Readonly<Record<LivePodField, boolean>> = {
    labels: isFollowing(metadata, 'labels', spec),
    annotations: isFollowing(metadata, 'annotations', spec),
  };
  const outdated = Object.entries(isFollowed).filter(([, followed]) => !followed);
  return [...drift, ...outdated.map(([field]) => ({ field, remedy: 'inPlace' as const }))];
}

function mayResize({ metadata, spec: made }: Pod, spec: EtcdClusterSpec): boolean {
  if (metadata?.annotations?.[annotations.resizeRefused] === withResourcesOf('{}', spec)) return false;
  const has = made?.containers.find((container) => container.name === 'etcd')?.resources ?? {};
  return canResize(has, spec.pod?.resources ?? {});
}

/** True if the pod has all entries of the spec, and no entry that only an earlier spec had. */
function isFollowing(metadata: Pod['metadata'], kind: LivePodField, { pod }: EtcdClusterSpec): boolean {
  const wanted = userMetadata(pod?.[kind]);
  const noted = keysFromSpec(metadata?.annotations, kind);
  return containsAll(metadata?.[kind], wanted) && jsonEqual(noted, Object.keys(wanted).sort());
}

function containsAll(
  have: Readonly<Record<string, string>> = {},
  want: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(want).every(([key, value]) => have[key] === value);
}
