// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { RestoreMarker, RestoreOrigin } from '../../api/restore-marker.ts';
import type { Comparison, HeldMember, SafetyFacts, SourceFacts, VolumeMember } from '../observation.ts';

/** One change that a restore makes: it is carried out as a whole, and can be detected afterwards by reading. */
export type RestoreStep =
  | { readonly do: 'addFinalizer' }
  | { readonly do: 'removeFinalizer' }
  /** Inspects the source without reading it to its end, in the background. */
  | { readonly do: 'inspect' }
  /** Reads the source to its end, in the background. */
  | { readonly do: 'verify' }
  /** Creates the EtcdCluster with the restore annotation already set. */
  | { readonly do: 'createCluster'; readonly marker: RestoreMarker; readonly spec: EtcdClusterSpec }
  /** Sets the restore annotation on the EtcdCluster and raises its incarnation, in one patch. */
  | { readonly do: 'mark'; readonly marker: RestoreMarker; readonly incarnation: number }
  | { readonly do: 'isolatePod'; readonly name: string; readonly uid: string }
  | { readonly do: 'unisolatePod'; readonly name: string; readonly uid: string }
  /** Starts an old member on its volume, not reachable by clients, so that a snapshot can be taken of it. */
  | {
      readonly do: 'startMember';
      readonly name: string;
      readonly volumeUid: string;
      readonly incarnation: number;
      readonly member: VolumeMember;
      /**
       * The index up to which a held snapshot contains all entries. If the log on the volume ends at this index, the volume's data is not
       * copied.
       */
      readonly held?: number;
    }
  /** Stores a snapshot of the old members, in the background. */
  | {
      readonly do: 'save';
      readonly incarnation: number;
      /** Only members of incarnations below this one are asked. */
      readonly below: number;
      /** True if only members of the newest incarnation are asked. */
      readonly newestOnly: boolean;
      /** True to store a snapshot; false to ask the members only for their revisions. */
      readonly isTaken: boolean;
      /** For how long members that do not answer are asked again, in milliseconds. */
      readonly patience: number;
      /**
       * Set if the cluster continues to serve, so that one incarnation may be saved several times: the generation of the EtcdRestore, and
       * the number of the snapshot within it.
       */
      readonly attempt?: { readonly generation: number; readonly round: number };
    }
  /** Creates the pod that holds a snapshot of a survivor. `bytes` and `version` are those of the survivor's database and etcd. */
  | ({ readonly do: 'createHolder'; readonly bytes: number; readonly version: string } & HeldMember)
  /** Disables the restore tool in the pod that holds a snapshot, because its data is there. */
  | { readonly do: 'settleHolder'; readonly name: string; readonly uid: string }
  /** Sends a snapshot of a survivor to the pod that holds it, in the background. */
  | { readonly do: 'hold'; readonly member: string; readonly ip: string }
  /** Compares the keys of prefixes in the cluster with those in the backup, in the background. */
  | { readonly do: 'compare' }
  /** Writes the keys of prefixes that differed in the comparison, in the background. */
  | { readonly do: 'write' }
  | { readonly do: 'createSecret' }
  /** Creates the pod in which the data is restored and, if the cluster uses volumes, its volume. */
  | {
      readonly do: 'createSeed';
      readonly name: string;
      readonly incarnation: number;
      /** The restored data must begin above this revision; 0 if none is known. */
      readonly above: number;
      /** Limits of the revision, if the source is not recorded yet. */
      readonly data?: SurvivorData;
    }
  /** Sends the snapshot to the seed, in the background. */
  | { readonly do: 'deliver'; readonly ip: string; readonly agent: string }
  /** Writes the cluster ID to the seed's volume and pod, and disables the restore tool there. */
  | {
      readonly do: 'settleSeed';
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      /** The volume that the seed runs on, not a later one of the same name; undefined if it has none. */
      readonly volumeUid: string | undefined;
      readonly clusterId: string;
      readonly memberId: string;
    }
  /** Records the new incarnation's cluster ID on the EtcdCluster. From then on the etcd-operator manages the cluster. */
  | {
      readonly do: 'recordIdentity';
      readonly clusterId: string;
      readonly incarnation: number;
      /** The version that its first member was created with; empty if it is not known. */
      readonly bootstrapVersion: string;
    }
  /** `resourceVersion`: deletes the pod only if it has not changed since it was observed. */
  | { readonly do: 'deletePod'; readonly name: string; readonly uid: string; readonly resourceVersion?: string }
  | { readonly do: 'deleteVolume'; readonly name: string; readonly uid: string }
  /** Labels a volume of a previous incarnation as kept. */
  | { readonly do: 'keepVolume'; readonly name: string; readonly uid: string }
  | { readonly do: 'deleteSecret' }
  /** Removes the restore annotation; `back` also records the previous incarnation again. */
  | { readonly do: 'unmark'; readonly back: RestoreOrigin | undefined }
  /** Deletes an EtcdCluster that this restore created and that never had data. */
  | { readonly do: 'deleteCluster'; readonly uid: string };

/** The highest possible revision of the data, and the lowest possible revision of its newest entry. */
export type SurvivorData = Required<Pick<SourceFacts, 'revision' | 'newestEntry'>>;

/** A step and why it is taken. */
export interface PlannedRestoreStep {
  readonly step: RestoreStep;
  readonly reason: string;
}

/** Volumes that a restore has kept. */
export interface OldVolumes {
  readonly names: readonly string[];
  /** The command that deletes them. */
  readonly command: string;
  /** How long the volumes are kept after the end of the restore, in milliseconds; undefined: until the user deletes them. */
  readonly retention: number | undefined;
}

/** The next status of the EtcdRestore; fields that are left out do not change. */
export interface RestoreReport {
  readonly phase: RestorePhaseName;
  /** What the restore waits for, or why it failed; empty if there is nothing to report. */
  readonly reason: string;
  readonly source?: SourceFacts;
  readonly safety?: SafetyFacts;
  readonly oldVolumes?: OldVolumes;
  readonly failure?: string;
  readonly started?: boolean;
  readonly incarnation?: number;
  /** Cluster ID of the new incarnation. */
  readonly clusterId?: string;
  /** The revision at which the first member of the new incarnation began to serve. */
  readonly revision?: number;
  readonly bytesVerified?: number;
  readonly bytesDelivered?: number;
  readonly comparison?: Comparison;
  /** True: the keys of the comparison are not written. */
  readonly isDryRun?: boolean;
  /** Revision of the cluster after the last key of the prefixes was written. */
  readonly writtenRevision?: number;
}

/** What to do about a restore now, what to report, and when to reconcile again if no event comes earlier. */
export interface RestorePlan {
  readonly steps: readonly PlannedRestoreStep[];
  readonly report: RestoreReport | undefined;
  readonly requeueAfter: number | undefined;
  /** The plan to use instead once this one has lasted for `after`; see `patiently`. */
  readonly atLast?: { readonly after: number; readonly plan: RestorePlan };
}
