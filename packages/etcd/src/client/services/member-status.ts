// SPDX-License-Identifier: Apache-2.0
import type { statusResponse } from '../messages/maintenance-messages.ts';
import type { Decoded } from '../wire/message.ts';

/** What a member says of itself. Fields that older versions do not send are undefined. */
export interface MemberStatus {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** `3.6.16`. */
  readonly version: string;
  readonly revision: bigint;
  /** The member that it takes for the leader; 0 if it knows none. */
  readonly leader: bigint;
  readonly raftTerm: bigint;
  readonly raftIndex: bigint;
  /** From 3.4 on. */
  readonly raftAppliedIndex: bigint | undefined;
  readonly isLearner: boolean;
  /** Size of the database file in bytes. */
  readonly dbSize: number;
  /** What of it is in use. From 3.4 on. */
  readonly dbSizeInUse: number | undefined;
  /** Alarms and `etcdserver: no leader`, in words. From 3.4 on. */
  readonly errors: readonly string[];
  /** The format of the database, `3.6.0`. From 3.6 on, once the cluster has settled. */
  readonly storageVersion: string | undefined;
  /** The limit on the size of the database in bytes. From 3.6 on. */
  readonly dbSizeQuota: number | undefined;
  /** A downgrade that is under way. From 3.6 on. */
  readonly downgrade: { readonly targetVersion: string } | undefined;
}

/** A status from its message. */
export function readStatus(response: Decoded<typeof statusResponse>): MemberStatus {
  const { header, downgradeInfo } = response;
  return {
    clusterId: header.clusterId,
    memberId: header.memberId,
    version: response.version,
    revision: header.revision,
    leader: response.leader,
    raftTerm: response.raftTerm,
    raftIndex: response.raftIndex,
    raftAppliedIndex: response.raftAppliedIndex === 0n ? undefined : response.raftAppliedIndex,
    isLearner: response.isLearner,
    dbSize: Number(response.dbSize),
    dbSizeInUse: response.dbSizeInUse === 0n ? undefined : Number(response.dbSizeInUse),
    errors: response.errors,
    storageVersion: response.storageVersion === '' ? undefined : response.storageVersion,
    dbSizeQuota: response.dbSizeQuota === 0n ? undefined : Number(response.dbSizeQuota),
    downgrade: downgradeInfo?.enabled ? { targetVersion: downgradeInfo.targetVersion } : undefined,
  };
}

/** An identifier as etcd prints it: hexadecimal, without leading zeros. */
export function formatId(id: bigint): string {
  return id.toString(16);
}

/** An identifier from its hexadecimal form; undefined if it is none. */
export function parseId(text: string): bigint | undefined {
  return /^[0-9a-f]{1,16}$/i.test(text) ? BigInt(`0x${text}`) : undefined;
}
