// SPDX-License-Identifier: Apache-2.0
import type { SafetySnapshotPolicy } from '../observation.ts';

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
  readonly silent?: boolean;
  /** What exists of the cluster when the restore begins. @default pods that are Ready, on volumes */
  readonly left?: 'pods and volumes' | 'one pod and volumes' | 'pods' | 'one pod' | 'volumes' | 'nothing';
  /** Members that are started on their volumes never answer. */
  readonly startFails?: boolean;
  readonly policy?: SafetySnapshotPolicy;
  readonly sourceRefused?: boolean;
  /** The manifest belongs to other bytes, which is noticed only at the end. */
  readonly manifestMisfits?: boolean;
  /** The source is a running cluster. */
  readonly isClone?: boolean;
  /** The process ends when the new member has the snapshot, before that is recorded. */
  readonly endsOnceDelivered?: boolean;
  /**
   * The pod with this name, or the pod in which the data is restored, is on a node that stops answering permanently.
   */
  readonly lostNode?: string;
  /** The node restarts once, right after the new member has the snapshot, and the file is not on its disk. */
  readonly fileIsLost?: boolean;
}
