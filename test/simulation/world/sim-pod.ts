// SPDX-License-Identifier: Apache-2.0

import { proveContainer } from '@etcd-operator/operator/testing/restore-pods';
import type { Pod } from '@operator-parts/kube';
import type { Exit, Member } from '../etcd/member.ts';
import type { ProofRun } from './proof-pod.ts';
import { type InitRun, initStatuses } from './restore-inits.ts';

/** What a kubelet knows of a pod that it runs. */
export interface SimPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** As the kubelet last saw it. */
  object: Pod;
  ip: string;
  ipSince: number;
  /** Where its etcd keeps its data, and the volume that it holds: the same but in a pod that works on a copy. */
  readonly place: string;
  readonly volume: string;
  /** Where its etcd listens for clients. */
  readonly clientPort: number;
  /** No other member gets through to it. */
  readonly isAlone: boolean;
  /** Containers with which a restore makes its data, and the snapshot that they have received. */
  readonly inits: InitRun[];
  /** What compares, in a pod that proves a backup: such a pod is not restarted. */
  readonly proof: ProofRun | undefined;
  hasFailed: boolean;
  readonly received: { sha256: string | undefined; isOver: boolean };
  phase: 'sandbox' | 'init' | 'running' | 'backoff' | 'unpulled' | 'printed' | 'ended';
  /** What its container was last started with. */
  image: string;
  /** What comes next happens then. */
  due: number;
  member: Member | undefined;
  startedAt: number;
  restarts: number;
  lastExit: Exit | undefined;
  failures: number;
  hasStarted: boolean;
  isReady: boolean;
  unreadyChecks: number;
  stopAt: number | undefined;
  /** The status that was written last, as text; and whether a write is under way. */
  written: string;
  isWriting: boolean;
}

/** A pod's status as its kubelet reports it. */
export function statusOf(pod: SimPod, stamp: (time: number) => string): Record<string, unknown> {
  if (pod.phase === 'printed') return printed(pod, stamp);
  const isBegun = isRunning(pod) || pod.restarts > 0 || pod.phase === 'backoff';
  const condition = (type: string, value: boolean) => ({ type, status: value ? 'True' : 'False' });
  return {
    phase: pod.hasFailed ? 'Failed' : isBegun ? 'Running' : 'Pending',
    ...(pod.ip && { podIP: pod.ip, podIPs: [{ ip: pod.ip }] }),
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', pod.phase !== 'sandbox' && pod.phase !== 'init'),
      condition('ContainersReady', pod.isReady),
      condition('Ready', pod.isReady),
    ],
    ...(pod.inits.length > 0 && { initContainerStatuses: initStatuses(pod, stamp) }),
    containerStatuses: [containerStatus(pod, stamp), ...(pod.proof ? [proofStatus(pod.proof, stamp)] : [])],
  };
}

/** It has said its version, which was all that it was for. */
function printed({ ip, object, startedAt }: SimPod, stamp: (time: number) => string): Record<string, unknown> {
  const image = object.spec?.containers[0]?.image ?? '';
  const state = { terminated: terminated({ code: 0, message: '' }, stamp(startedAt)) };
  return {
    phase: 'Succeeded',
    podIP: ip,
    containerStatuses: [{ name: 'etcd', image, imageID: image, restartCount: 0, ready: false, started: false, state }],
  };
}

function isRunning({ phase, member }: SimPod): boolean {
  return phase === 'running' && member !== undefined;
}

function containerStatus(pod: SimPod, stamp: (time: number) => string): Record<string, unknown> {
  const { image } = pod;
  return {
    name: 'etcd',
    image,
    imageID: image,
    restartCount: pod.restarts,
    ready: pod.isReady,
    started: pod.hasStarted,
    state: pod.hasFailed
      ? { terminated: terminated(pod.lastExit ?? { code: 137, message: '' }, stamp(pod.startedAt)) }
      : isRunning(pod)
        ? { running: { startedAt: stamp(pod.startedAt) } }
        : { waiting: waitingFor(pod) },
    ...(pod.startedAt > 0 && { containerID: `sim://${pod.uid}/${pod.restarts}` }),
    ...(pod.lastExit && { lastState: { terminated: terminated(pod.lastExit, stamp(pod.startedAt)) } }),
  };
}

function proofStatus({ image, begunAt, exit }: ProofRun, stamp: (time: number) => string): Record<string, unknown> {
  const begun = exit ? { terminated: terminated(exit, stamp(begunAt)) } : { running: { startedAt: stamp(begunAt) } };
  const state = begunAt > 0 ? begun : { waiting: { reason: 'PodInitializing' } };
  return { name: proveContainer, image, imageID: image, restartCount: 0, ready: false, started: begunAt > 0, state };
}

function waitingFor({ phase }: SimPod): Record<string, string> {
  if (phase === 'unpulled') return { reason: 'ErrImagePull', message: 'manifest unknown' };
  if (phase === 'backoff') return { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' };
  return { reason: phase === 'init' ? 'PodInitializing' : 'ContainerCreating' };
}

function terminated({ code, message }: Exit, time: string): Record<string, unknown> {
  const cause = { reason: code === 0 ? 'Completed' : 'Error', ...((code !== 0 || message) && { message }) };
  return { exitCode: code, ...cause, startedAt: time, finishedAt: time };
}
