// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@etcd-operator/etcd';
import type { AgentAddress } from '../delivery/courier.ts';
import { deliver } from '../delivery/deliver.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { judge } from '../source/judge.ts';

export interface SurvivorDelivery {
  readonly source: SourceFacts;
  readonly agent: AgentAddress;
  readonly member: MemberClient;
  /** True if the member runs alone on a copy of the data: it can show that it has applied everything. */
  readonly isCopy: boolean;
}

/** Sends a snapshot of the chosen member to the new member. Its hash is checked before the new member keeps it. */
export async function deliverSurvivor(
  { source, agent, member, isCopy }: SurvivorDelivery,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  if (isCopy) await member.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal });
  return deliver({
    agent,
    bytes: undefined,
    body: () => member.maintenance.snapshot({ reuse: true, signal }),
    judge: (measured) => {
      const { bytes, sha256 } = judge(measured, { manifest: undefined, acceptWithoutHash: false });
      return { ...source, bytes, sha256 };
    },
    signal,
    onProgress,
  });
}
