// SPDX-License-Identifier: Apache-2.0
import type { SafetySnapshotPolicy } from '../observation.ts';

/** What is left of a cluster that is recovered from a member, and what may fail. */
export interface SurvivorTrouble {
  /**
   * What is found on the volume of the member once it is stopped: `readable` is a log with more entries than the member had applied, `idle`
   * a log without more. @default readable
   */
  readonly volume?: 'readable' | 'idle' | 'damaged' | 'cut' | 'unattached';
  /** The etcd of the member does not report what it has applied. */
  readonly isSilentOnApplied?: true;
  /** The last index in the log on the volume of another member; undefined if there is none. */
  readonly other?: number;
  /** The member that the user has named in the spec. */
  readonly wanted?: string;
  /** The member does not run when the recovery begins. */
  readonly isStopped?: true;
  /** No node has room for the pod that would hold the snapshot. */
  readonly holderFails?: true;
}

/** What may fail in a model. */
export interface Trouble {
  readonly seedBreaks?: boolean;
  readonly wrongRevision?: boolean;
  /** Leases expire before the restored member is first asked. */
  readonly leasesRunOut?: boolean;
  readonly saveFails?: boolean;
  /** Members serve, but the operators cannot reach them. */
  readonly operatorIsCutOff?: boolean;
  /** One member is cut off from its peers and behind them, and the operators reach only this one. */
  readonly lagging?: boolean;
  /** Members run but do not answer and are not Ready, as if their nodes did not report. */
  readonly unreachable?: boolean;
  /** What exists of the cluster when the restore begins. @default pods that are Ready, on volumes */
  readonly left?: 'pods and volumes' | 'one pod and volumes' | 'pods' | 'one pod' | 'volumes' | 'nothing';
  /** Members that are started on their volumes never answer. */
  readonly startFails?: boolean;
  readonly policy?: SafetySnapshotPolicy;
  readonly sourceRefused?: boolean;
  /** The manifest belongs to other bytes, which is noticed only at the end. */
  readonly manifestMismatches?: boolean;
  /** The source is a running cluster. */
  readonly isClone?: boolean;
  /** The source is the data of a member that is left. */
  readonly survivor?: SurvivorTrouble;
  /** The process ends when the new member has the snapshot, before that is recorded. */
  readonly endsOnceDelivered?: boolean;
  /**
   * The pod with this name, or the pod in which the data is restored, is on a node that stops answering permanently.
   */
  readonly lostNode?: string;
  /** The node restarts once, right after the new member has the snapshot, and the file is not on its disk. */
  readonly fileIsLost?: boolean;
}
