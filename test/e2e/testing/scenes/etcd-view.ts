// SPDX-License-Identifier: Apache-2.0
import { type Login, MemberClient, type TlsMaterial, toBytes } from '@operator-parts/etcd';
import { type Client, type Pod, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';

/** etcd's own view, queried at the addresses of its pods. */
export interface EtcdView {
  /** Pods whose member votes, knows a leader and answers a linearizable read. */
  readonly healthy: readonly string[];
  /** The number of members in etcd, including learners. */
  readonly members: number;
  readonly versions: readonly string[];
}

export async function etcdPods(client: Client, namespace: string, labelSelector: string): Promise<readonly Pod[]> {
  return (await client.resource(pods).list({ namespace, labelSelector })).items;
}

/** The TLS settings for members that require certificates. */
export interface Trust {
  readonly tls: TlsMaterial;
  /** A name that every member's certificate contains. */
  readonly serverName: string;
}

/** One member's client port. */
export function openMember(host: string, trust?: Trust, login?: Login): MemberClient {
  const secured = trust && { tls: () => trust.tls, serverName: trust.serverName };
  const known = login && { login: () => login };
  const target = { host, port: 2379 };
  return new MemberClient({ target, clock: systemClock, timeoutMs: 1500, ...secured, ...known });
}

/** One member's client port, while `work` runs. */
export async function withMember<T>(
  host: string,
  work: (member: MemberClient) => Promise<T>,
  trust?: Trust,
): Promise<T> {
  using member = openMember(host, trust);
  return await work(member);
}

export async function etcdView(
  client: Client,
  namespace: string,
  labelSelector: string,
  trust?: Trust,
): Promise<EtcdView> {
  return viewOf(await etcdPods(client, namespace, labelSelector), trust);
}

/** The answers of the members in these pods. */
export async function viewOf(found: readonly Pod[], trust?: Trust): Promise<EtcdView> {
  const answers = await Promise.all(found.map((pod) => answerOf(pod, trust).catch(() => undefined)));
  const known = answers.filter((answer) => answer !== undefined);
  return {
    healthy: known.filter(({ isHealthy }) => isHealthy).map(({ pod }) => pod),
    members: Math.max(0, ...known.map(({ members }) => members)),
    versions: known.map(({ version }) => version).sort(),
  };
}

async function answerOf(pod: Pod, trust: Trust | undefined) {
  const { podIP } = pod.status ?? {};
  if (podIP === undefined || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  return withMember(
    podIP,
    async ({ maintenance, cluster, kv }) => {
      const status = await maintenance.status();
      if (status.isLearner || status.leader === 0n) {
        return { pod: pod.metadata?.name ?? '', isHealthy: false, members: 0, version: status.version };
      }
      const { members } = await cluster.memberList();
      await kv.range({ key: toBytes('health') });
      return { pod: pod.metadata?.name ?? '', isHealthy: true, members: members.length, version: status.version };
    },
    trust,
  );
}
