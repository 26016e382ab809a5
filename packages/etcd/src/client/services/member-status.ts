// SPDX-License-Identifier: Apache-2.0
import type { statusResponse } from '../messages/maintenance-messages.ts';
import type { Decoded } from '../wire/message.ts';

/** The status of a member. Fields that older versions do not send are undefined. */
export interface MemberStatus {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** `3.6.16`. */
  readonly version: string;
  readonly revision: bigint;
  /** The leader as this member knows it; 0 if it knows none. */
  readonly leader: bigint;
  readonly raftTerm: bigint;
  readonly raftIndex: bigint;
  /** From 3.4 on. */
  readonly raftAppliedIndex: bigint | undefined;
  readonly isLearner: boolean;
  /** Size of the database file in bytes. */
  readonly dbSize: number;
  /** How many bytes of the database file are in use. From 3.4 on. */
  readonly dbSizeInUse: number | undefined;
  /** Alarms and `etcdserver: no leader`, as text. From 3.4 on. */
  readonly errors: readonly string[];
  /** The storage version, `3.6.0`. From 3.6 on, once the cluster has a version. */
  readonly storageVersion: string | undefined;
  /** The limit on the size of the database in bytes. From 3.6 on. */
  readonly dbSizeQuota: number | undefined;
  /** A downgrade in progress. From 3.6 on. */
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

/** An ID in etcd's format: hexadecimal, without leading zeros. */
export function formatId(id: bigint): string {
  return id.toString(16);
}

/** An ID from its hexadecimal form; undefined if it is invalid. */
export function parseId(text: string): bigint | undefined {
  return /^[0-9a-f]{1,16}$/i.test(text) ? BigInt(`0x${text}`) : undefined;
}
