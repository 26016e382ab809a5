// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '@operator-parts/kube';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { figuresMoved, saysTheSame } from './status.ts';

/**
 * Revisions and sizes change with every write of a client. They are read every 10 s and may be at most 15 s old in the status. So they are
 * written with each reading, but not more often if a cluster is observed more often. In milliseconds.
 */
const figuresEvery = 5_000;

/**
 * While members start, what the operator is waiting for changes with every status that the kubelet reports. No one reads that fast, and
 * each status update costs the API server as much as a step of the plan. In milliseconds.
 */
const detailsEvery = 1_000;

/**
 * After how many milliseconds to write a status, 0 for at once; undefined if it contains nothing new. What a user or a tool may act on
 * (phase, conditions, identity, versions) is written at once.
 */
export function reportDue(
  before: EtcdClusterStatus | undefined,
  after: EtcdClusterStatus,
  sinceLast: number,
): number | undefined {
  if (saysTheSame(before, after))
    return figuresMoved(before, after) ? Math.max(0, figuresEvery - sinceLast) : undefined;
  const isDetail = before !== undefined && jsonEqual(withoutDetails(before), withoutDetails(after));
  return isDetail ? Math.max(0, detailsEvery - sinceLast) : 0;
}

function withoutDetails(status: EtcdClusterStatus): unknown {
  const { plan: _plan, members: _members, memberDetails: _details, conditions, ...others } = status;
  const { size: _size, readySize: _ready, ...rest } = others;
  return {
    ...rest,
    conditions: conditions?.map(({ message: _message, lastUpdateTime: _updated, ...condition }) => condition),
  };
}
