// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import { type Client, ignoreNotFound, type Pod, pods } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';
import type { AgentAddress } from '../delivery/agent-connection.ts';
import { deliver } from '../delivery/deliver.ts';
import type { JobContext } from '../jobs.ts';
import { holderName } from '../objects/holder-pod.ts';
import type { SafetyFacts, SourceFacts } from '../observation.ts';
import { heldFacts } from '../plan/survivor/hold.ts';
import { RestoreError } from '../restore-error.ts';
import { judge } from '../source/judge.ts';

/** From which pod a snapshot is taken, and where it is sent. */
export interface SurvivorDelivery {
  readonly client: Client;
  readonly namespace: string;
  /** The cached pods of members. The pod that holds a snapshot is in no cache. */
  readonly cached: readonly Pod[];
  readonly connect: (pod: Pod) => MemberClient;
  readonly agent: AgentAddress;
}

/** Sends a snapshot of the chosen member to the new member. The snapshot's hash is checked before the new member keeps the snapshot. */
export async function deliverSurvivor(
  source: SourceFacts,
  delivery: SurvivorDelivery,
  context: JobContext,
): Promise<SourceFacts> {
  const { signal } = context;
  const pod = await podWithData(source.path.slice(source.path.indexOf('/') + 1), delivery, signal);
  using member = delivery.connect(pod);
  // A member that runs alone on a copy of the data has a quorum. It answers this linearizable read when it has applied all entries of its
  // log.
  const isCopy = pod.metadata?.annotations?.[annotations.startedByRestore] !== undefined;
  if (isCopy) await member.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal });
  return { ...source, ...(await sendSnapshot(member, delivery, context)) };
}

/**
 * Sends a snapshot of a survivor (a member that still has data of a cluster without a quorum) to the pod that holds the snapshot. Without a
 * leader, the survivor's revision does not change meanwhile.
 */
export async function holdSnapshot(
  name: string,
  restore: { readonly name: string; readonly uid: string },
  delivery: SurvivorDelivery,
  context: JobContext,
): Promise<SafetyFacts> {
  using member = delivery.connect(await podWithData(name, delivery, context.signal));
  const { revision } = await member.maintenance.status({ signal: context.signal });
  const { bytes } = await sendSnapshot(member, delivery, context);
  return heldFacts({ name: holderName(restore), member: name }, { revision: Number(revision), bytes });
}

function sendSnapshot(
  member: MemberClient,
  { agent }: SurvivorDelivery,
  { signal, onProgress }: JobContext,
): Promise<Pick<SourceFacts, 'bytes' | 'sha256'>> {
  return deliver({
    agent,
    bytes: undefined,
    body: () => member.maintenance.snapshot({ reuse: true, signal }),
    judge: (measured) => {
      const { bytes, sha256 } = judge(measured, { manifest: undefined, acceptWithoutHash: false });
      return { bytes, sha256 };
    },
    signal,
    onProgress,
  });
}

async function podWithData(name: string, delivery: SurvivorDelivery, signal: AbortSignal): Promise<Pod> {
  const { client, namespace, cached } = delivery;
  const known = cached.find(({ metadata }) => metadata?.name === name);
  const pod = known ?? (await ignoreNotFound(client.resource(pods).get({ namespace, name }, { signal })));
  if (!pod?.status?.podIP)
    throw new RestoreError(
      'NotDelivered',
      `pod/${name} is not running, so the member data in this pod cannot be copied`,
    );
  return pod;
}
