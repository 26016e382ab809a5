// SPDX-License-Identifier: Apache-2.0
import type { RestoreMarker } from '../../api/restore-marker.ts';
import type { ClusterPod, ClusterVolume } from '../observation.ts';
import { outlasted } from '../plan/proposal.ts';
import type { RestorePlan } from '../plan/step.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function modelPod(name: string, incarnation: number): Mutable<ClusterPod> {
  return {
    ...{ name, uid: `pod-${name}`, incarnation, isolated: false, ready: true, running: true, startedBy: '' },
    ...{ mayHoldData: false, terminating: false, overdue: false },
  };
}

export function modelVolume(name: string, incarnation: number): Mutable<ClusterVolume> {
  const member = { clusterId: `c${incarnation}`, memberId: name, version: '3.6.16', asRoot: false };
  return {
    ...{ name, uid: `vol-${name}`, incarnation, terminating: false, overdue: false },
    ...{ isIdentified: false, keptBy: '', member },
  };
}

/**
 * What a process remembers from earlier observations: when it first saw that the restore had ended, and when the wait for a temporary
 * condition began.
 */
export interface Memory {
  endedAt?: number;
  waitingSince?: number | undefined;
}

/** The plan that applies after waiting this long. */
export function patient(plan: RestorePlan, memory: Memory, elapsed: number): RestorePlan {
  memory.waitingSince = plan.atLast && (memory.waitingSince ?? elapsed);
  return outlasted(plan, elapsed - (memory.waitingSince ?? elapsed));
}

/** Restores of prefixes have their own tests: they change nothing in the model. */
export const idlePrefixes = { compare: { kind: 'idle' }, write: { kind: 'idle' } } as const;

/** The EtcdCluster, as far as a restore observes it. */
export interface ModelCluster {
  uid: string;
  marker: RestoreMarker | undefined;
  incarnation: number;
  clusterId: string;
  used: number;
  restoredBy: string;
  acknowledged: string;
  /** True once the etcd-operator has created all members of the present incarnation. */
  grown: boolean;
  /** The number of members created since the incarnation got its cluster ID. */
  grow: number;
}
