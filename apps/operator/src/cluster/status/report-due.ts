// SPDX-License-Identifier: Apache-2.0
import { jsonEqual } from '@operator-parts/kube';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { figuresMoved, saysTheSame } from './status.ts';

/**
 * How often changed revisions and sizes of members are written, in milliseconds. They change with every write of a client, are read every
 * 10 s and may be at most 15 s old in the status. So they are written after each reading, but not more often if a cluster is observed more
 * often.
 */
const figuresEvery = 5_000;

/**
 * How often changed details are written, in milliseconds. While members start, the text about what the operator waits for changes with
 * every status that the kubelet reports. No one reads that fast, and each update of the status costs the API server as much as a step of
 * the plan.
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
