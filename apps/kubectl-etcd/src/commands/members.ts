// SPDX-License-Identifier: Apache-2.0
import { type Access, findCluster } from '../access.ts';
import { ObservedCluster } from '../observed-cluster.ts';
import { membersReport } from '../render/members.ts';
import type { Report } from '../render/print.ts';

/** Asks etcd itself, through port-forwards. */
export async function members(access: Access, name: string | undefined): Promise<Report> {
  using reading = await ObservedCluster.read(access, await findCluster(access, name));
  return membersReport(reading.observation);
}
