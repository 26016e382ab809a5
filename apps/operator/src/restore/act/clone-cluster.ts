// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@operator-parts/etcd';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import type { ChosenMember } from '../../backup/act/member/choose-member.ts';
import type { AgentAddress } from '../delivery/agent-connection.ts';
import { deliver } from '../delivery/deliver.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { judge } from '../source/judge.ts';
import { type MemberSearch, withMember } from './chosen-member.ts';

const field = 'spec.source.cluster';

/**
 * Reads the size, version and revision of a running cluster that is to be copied. This includes a linearizable read, so the cluster must
 * have a quorum. Changes nothing. Rejects with the `RestoreError` `SourceRefused` if waiting cannot solve the problem.
 */
export async function inspectCluster(name: string, search: MemberSearch, { signal }: JobContext): Promise<SourceFacts> {
  const { client, namespace } = search;
  const { status, revision, authEnabled } = await withMember({ name, field }, search, async (chosen) => ({
    status: chosen.status,
    revision: await currentRevision(chosen, signal),
    authEnabled: (await chosen.client.auth.status({ signal })).enabled,
  }));
  const { spec } = await client.resource(etcdClusters.resource).get({ namespace, name }, { signal });
  const storage = spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.['storage'];
  const { version } = status;
  return {
    path: `etcdcluster/${name}`,
    bytes: status.dbSize,
    sha256: undefined,
    revision: Number(revision),
    storageVersion: undefined,
    authEnabled,
    verified: 'Live',
    clusterID: formatId(status.clusterId),
    cluster: { name, size: spec.size, version, ...(storage !== undefined && { storage: String(storage) }) },
    etcdVersion: version,
  };
}

export interface CloneDelivery {
  readonly source: SourceFacts;
  readonly agent: AgentAddress;
  readonly search: MemberSearch;
}

/**
 * Sends a snapshot of a member to the new member. The snapshot contains every write that was acknowledged before this call. The snapshot's
 * hash is checked before the new member keeps it. Rejects with a `RestoreError` if the cluster of that name has another cluster ID than
 * `source` records.
 */
export function deliverClone(
  name: string,
  { source, agent, search }: CloneDelivery,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  return withMember({ name, field }, search, async (chosen) => {
    refuseAnother(name, source, chosen);
    await currentRevision(chosen, signal);
    return deliver({
      agent,
      bytes: undefined,
      body: () => chosen.client.maintenance.snapshot({ reuse: true, signal }),
      judge: async (measured) => {
        // The snapshot came over a second connection. A read over the first connection shows that the address still belongs to this member.
        await currentRevision(chosen, signal);
        const { bytes, sha256 } = judge(measured, { manifest: undefined, acceptWithoutHash: false });
        return { ...source, bytes, sha256 };
      },
      signal,
      onProgress,
    });
  });
}

/**
 * Throws if the cluster ID has changed: the name may belong to a new cluster now, or another restore may have given the cluster other data.
 */
function refuseAnother(name: string, { clusterID }: SourceFacts, { status }: ChosenMember): void {
  const now = formatId(status.clusterId);
  if (clusterID === undefined || now === clusterID) return;
  const message = `etcdcluster/${name} was replaced or restored after this restore began: its cluster ID was ${clusterID} and is now ${now}. To copy the present data, create the EtcdRestore again`;
  throw new RestoreError('SourceRefused', message);
}

/** Uses a linearizable read: the member answers only after it has applied every write that was acknowledged before. */
async function currentRevision({ client }: ChosenMember, signal: AbortSignal): Promise<bigint> {
  return (await client.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal })).header.revision;
}
