// SPDX-License-Identifier: Apache-2.0
import { clientPort, formatId, MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import type { OperatorLab } from '../../../testing/operator-lab.ts';

/** What etcd itself reports about a cluster, read without the operator. */
export interface Listed {
  readonly clusterId: string;
  readonly ids: readonly string[];
  readonly voters: readonly string[];
  readonly learners: readonly string[];
}

/** The linearizable member list. Asks every pod until one answers. */
export function listedMembers(ground: OperatorLab, cluster: string): Promise<Listed> {
  return ground.until('a list of members', async () => {
    for (const { status } of await ground.pods(cluster)) {
      const list = await listOf(ground, status?.podIP ?? '');
      if (list) return list;
    }
    return undefined;
  });
}

async function listOf(ground: OperatorLab, host: string): Promise<Listed | undefined> {
  using member = new MemberClient({
    target: { host, port: clientPort },
    clock: systemClock,
    dial: (target) => ground.lab.dial(target.host, target.port),
    timeoutMs: 2_000,
  });
  const found = await member.cluster.memberList().catch(() => undefined);
  if (!found) return undefined;
  const ids = (isLearner: boolean) =>
    found.members
      .filter((one) => one.isLearner === isLearner)
      .map(({ id }) => formatId(id))
      .sort();
  return {
    clusterId: formatId(found.header.clusterId),
    ids: found.members.map(({ id }) => formatId(id)).sort(),
    voters: ids(false),
    learners: ids(true),
  };
}
