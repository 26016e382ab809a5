// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { RestoreMarker, RestoreOrigin } from '../../api/restore-marker.ts';
import type { Comparison, SafetyFacts, SourceFacts, VolumeMember } from '../observation.ts';

/** One change that a restore makes: carried out as a whole, or recognised afterwards by reading. */
export type RestoreStep =
  | { readonly do: 'addFinalizer' }
  | { readonly do: 'removeFinalizer' }
  /** Looks at the source without reading it to its end, in the background. */
  | { readonly do: 'inspect' }
  /** Reads the source to its end, in the background. */
  | { readonly do: 'verify' }
  /** Makes the EtcdCluster, with the mark on it from birth. */
  | { readonly do: 'createCluster'; readonly marker: RestoreMarker; readonly spec: EtcdClusterSpec }
  /** Marks the EtcdCluster and raises its incarnation, in one patch. */
  | { readonly do: 'mark'; readonly marker: RestoreMarker; readonly incarnation: number }
  | { readonly do: 'fencePod'; readonly name: string; readonly uid: string }
  | { readonly do: 'unfencePod'; readonly name: string; readonly uid: string }
  /** Starts an old member on the volume it has, out of reach of clients, so that a snapshot can be taken of it. */
  | {
      readonly do: 'startMember';
      readonly name: string;
      readonly volumeUid: string;
      readonly incarnation: number;
      readonly member: VolumeMember;
    }
  /** Stores a snapshot of the old members, in the background. */
  | {
      readonly do: 'save';
      readonly incarnation: number;
      /** Only members of incarnations below this one are asked. */
      readonly below: number;
      /** True if members of incarnations before the last one are no substitute. */
      readonly newestOnly: boolean;
      /** False to ask only how far they have come. */
      readonly isTaken: boolean;
      /** For how long members that do not answer are asked again, in milliseconds. */
      readonly patience: number;
      /** Set if the cluster serves on, and one incarnation may be saved several times: for which generation of the EtcdRestore, and which time for that. */
      readonly attempt?: { readonly generation: number; readonly round: number };
    }
  /** Compares the keys of prefixes in the cluster with those in the backup, in the background. */
  | { readonly do: 'compare' }
  /** Writes keys of prefixes to the cluster, as they were compared, in the background. */
  | { readonly do: 'write' }
  | { readonly do: 'createSecret' }
  /** The volume, if the cluster uses them, and the pod that the data is restored in. */
  | {
      readonly do: 'createSeed';
      readonly name: string;
      readonly incarnation: number;
      /** The revision that the restored data must begin above; 0 if none is known. */
      readonly above: number;
      /** What is known of the data where its source is not recorded yet: at which revision it is at most. */
      readonly data?: SurvivorData;
    }
  /** Sends the snapshot to the seed, in the background. */
  | { readonly do: 'deliver'; readonly ip: string; readonly agent: string }
  /** Writes the identity to the seed's volume and pod, and turns its restoring off. */
  | {
      readonly do: 'settleSeed';
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      /** The volume that it runs on, and no later one of its name; undefined if it has none. */
      readonly volumeUid: string | undefined;
      readonly clusterId: string;
      readonly memberId: string;
    }
  /** Records the new incarnation's identity on the EtcdCluster: from here on the etcd-operator runs it. */
  | {
      readonly do: 'latch';
      readonly clusterId: string;
      readonly incarnation: number;
      /** The version that its first member was made with; empty if that is not known. */
      readonly bornVersion: string;
    }
  /** `resourceVersion`: only as it was looked at. */
  | { readonly do: 'deletePod'; readonly name: string; readonly uid: string; readonly resourceVersion?: string }
  | { readonly do: 'deleteVolume'; readonly name: string; readonly uid: string }
  /** Labels a volume of a previous incarnation as kept. */
  | { readonly do: 'keepVolume'; readonly name: string; readonly uid: string }
  | { readonly do: 'deleteSecret' }
  /** Takes the mark off; `back` also puts the life before in its place. */
  | { readonly do: 'unmark'; readonly back: RestoreOrigin | undefined }
  /** Deletes an EtcdCluster that this restore made and that never held anything. */
  | { readonly do: 'deleteCluster'; readonly uid: string };

/** At which revision the data is at most, and at which its newest entry is at least. */
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
  /** Milliseconds after the end of the restore; undefined if they are kept for good. */
  readonly retention: number | undefined;
}

/** What is to be written to the EtcdRestore's status; fields that are left out stay as they are. */
export interface RestoreReport {
  readonly phase: RestorePhaseName;
  /** What it waits for, or why it failed; empty if there is nothing to say. */
  readonly reason: string;
  readonly source?: SourceFacts;
  readonly safety?: SafetyFacts;
  readonly oldVolumes?: OldVolumes;
  readonly failure?: string;
  readonly started?: boolean;
  readonly incarnation?: number;
  /** Of the new incarnation. */
  readonly clusterId?: string;
  /** What the first member of the new incarnation served first. */
  readonly revision?: number;
  readonly bytesVerified?: number;
  readonly bytesDelivered?: number;
  readonly comparison?: Comparison;
  /** True: the keys of the comparison are not written. */
  readonly isDryRun?: boolean;
  /** Of the cluster, after the last key of the prefixes was written. */
  readonly writtenRevision?: number;
}

/** What to do about a restore now, what to report, and when to reconcile again if no event comes earlier. */
export interface RestorePlan {
  readonly steps: readonly PlannedRestoreStep[];
  readonly report: RestoreReport | undefined;
  readonly lookAgainAfter: number | undefined;
  /** Instead of this, once that has been waited for; see `patiently`. */
  readonly atLast?: { readonly after: number; readonly plan: RestorePlan };
}
