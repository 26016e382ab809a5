// SPDX-License-Identifier: Apache-2.0
import { isEtcdError, type MemberClient } from '@operator-parts/etcd';
import type { Pod } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';
import { readContainer } from '../objects/survivor-pod.ts';
import type { SurvivorFacts, SurvivorReading } from '../observation.ts';
import { readReport } from '../survivor/report.ts';
import { isUnreachable, type NodeReading } from './lost-node.ts';
import { seedFacts } from './seed-facts.ts';

/** Facts about a pod as a survivor: a member from whose data its cluster may be recovered. */
export async function survivorFacts(
  pod: Pod,
  now: number,
  connect: () => MemberClient,
  context: NodeReading,
): Promise<SurvivorFacts> {
  const { spec, status } = pod;
  const { onVolume, broken, why } = seedFacts(pod, undefined, now, 'read its volume');
  const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  const node = spec?.nodeName ?? '';
  const answer = await answerOf(pod, connect, context.signal);
  const mayRun = isStuck(pod, now) || (!onVolume && answer === undefined && isLeftRunning(pod));
  return {
    node,
    mayRunUnseen: node !== '' && !hasEnded && ((await isUnreachable(node, context)) ?? mayRun),
    hasEnded,
    onVolume,
    reading: readingOf(pod),
    answer,
    broken: broken ?? heldUp(pod, now, why),
    why,
  };
}

/** Longer than a kubelet takes to report that a pod has ended. */
const endPatience = 60_000;

function isStuck({ metadata }: Pod, now: number): boolean {
  return now - (Date.parse(metadata?.deletionTimestamp ?? '') || now) > endPatience;
}

/** True unless the pod's etcd is known to have stopped, or a restore has started the pod. */
function isLeftRunning({ metadata, status }: Pod): boolean {
  const { state } = status?.containerStatuses?.find(({ name }) => name === 'etcd') ?? {};
  return !metadata?.annotations?.[annotations.startedByRestore] && !state?.waiting && !state?.terminated;
}

/** Longer than a scheduler and a storage driver take, also for a volume that is attached to another node. */
const attachPatience = 180_000;

/**
 * Why a pod of a restore has not begun to read its volume; undefined if it has begun, or may still begin. The volume may be bound to a node
 * that is gone.
 */
function heldUp({ metadata, spec, status }: Pod, now: number, why: string): string | undefined {
  const age = now - (Date.parse(metadata?.creationTimestamp ?? '') || now);
  if (!metadata?.annotations?.[annotations.startedByRestore] || age < attachPatience) return undefined;
  if (!spec?.nodeName) return `pvc/${metadata.name ?? ''} could not be read for 3 minutes: ${why}`;
  // The kubelet first waits until the volumes are attached. Then it creates the sandbox with the pod's IP address, and then it pulls the
  // images.
  const isAttached =
    Boolean(status?.podIP) ||
    status?.conditions?.some(({ type, status: value }) => type === 'PodReadyToStartContainers' && value === 'True') ||
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(
      ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
    );
  return isAttached
    ? undefined
    : `pvc/${metadata.name ?? ''} was not attached to node ${spec.nodeName} within 3 minutes`;
}

/** The volume counts as unreadable after this many failures of the container, which the kubelet restarts: a disk may fail once. */
const tries = 3;

/** The container has succeeded and does not run again, so no other report follows. */
const unread: SurvivorReading = {
  kind: 'unreadable',
  why: 'the container that reads the volume sent an invalid report',
};

function readingOf({ status }: Pod): SurvivorReading | undefined {
  const container = status?.initContainerStatuses?.find(({ name }) => name === readContainer);
  const { terminated } = container?.state ?? {};
  if (terminated?.exitCode === 0) return readReport(terminated.message ?? '') ?? unread;
  const failed = terminated ?? container?.lastState?.terminated;
  if (!failed || (container?.restartCount ?? 0) < tries) return undefined;
  return { kind: 'unreadable', why: (failed.message ?? '').trim().slice(-300) || `exit code ${failed.exitCode}` };
}

/** What the etcd in a pod answers; undefined if it does not. */
export async function answerOf(
  { status }: Pod,
  connect: () => MemberClient,
  signal: AbortSignal,
): Promise<SurvivorFacts['answer']> {
  const isRunning = status?.containerStatuses?.some(({ name, state }) => name === 'etcd' && state?.running);
  if (!isRunning || !status?.podIP) return undefined;
  using member = connect();
  try {
    const { revision, raftIndex, raftAppliedIndex, dbSize, leader } = await member.maintenance.status({ signal });
    const applied = raftAppliedIndex === undefined ? {} : { applied: Number(raftAppliedIndex) };
    return {
      revision: Number(revision),
      index: Number(raftIndex),
      ...applied,
      bytes: dbSize,
      hasLeader: leader !== 0n,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}
