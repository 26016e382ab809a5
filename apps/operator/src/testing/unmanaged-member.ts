// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient, memberNameFromPeerUrl } from '@operator-parts/etcd';
import { type Pod, pods, services } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import type { OperatorLab } from './operator-lab.ts';

/** A member that was added to a cluster by hand, with its own pod and name. */
export interface UnmanagedMember {
  readonly id: bigint;
  readonly name: string;
}

const namespace = 'default';

/** Adds a learner to a cluster without the operator and runs a real etcd for it. Resolves when it has caught up. */
export async function addUnmanagedLearner(
  ground: OperatorLab,
  cluster: string,
  name: string,
): Promise<UnmanagedMember> {
  const [beside] = await ground.pods(cluster);
  const image = beside?.spec?.containers[0]?.image ?? '';
  await ground.lab
    .client()
    .resource(services)
    .create({
      metadata: { name, namespace },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { replica: name },
        ports: [{ name: 'peer', port: 2380 }],
      },
    });
  const url = `http://${name}.${name}.${namespace}.svc:2380`;
  using client = await ground.member(cluster);
  const { member, members } = await ground.until(`${name} accepted`, () =>
    client.cluster.memberAdd({ peerUrls: [url], isLearner: true }).catch(() => undefined),
  );
  const list = members.flatMap(({ id, name: published, peerUrls }) => {
    const found = memberNameFromPeerUrl(peerUrls[0] ?? '');
    const called = id === member?.id ? name : published || (found.ok ? found.name : '');
    return peerUrls.map((peerUrl) => `${called}=${peerUrl}`);
  });
  await ground.lab
    .client()
    .resource(pods)
    .create(podOf(name, image, url, list.join()));
  await ground.until(`${name} caught up`, async () => {
    const asked = await ask(ground, name).catch(() => undefined);
    const { raftIndex } = await client.maintenance.status();
    return asked !== undefined && asked.raftIndex >= raftIndex - 1n ? true : undefined;
  });
  return { id: member?.id ?? 0n, name };
}

async function ask(ground: OperatorLab, name: string) {
  using replica = new MemberClient({
    target: { host: name, port: clientPort },
    clock: systemClock,
    dial: ({ port }) => ground.lab.dial({ pod: name }, port),
    timeoutMs: 1_000,
  });
  return await replica.maintenance.status();
}

function podOf(name: string, image: string, url: string, initialCluster: string): Pod {
  return {
    metadata: { name, namespace, labels: { replica: name } },
    spec: {
      hostname: name,
      subdomain: name,
      terminationGracePeriodSeconds: 1,
      // The pod is never evicted, whatever the taints of its node.
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'etcd',
          image,
          command: [
            '/usr/local/bin/etcd',
            '--data-dir=/var/etcd/data',
            `--name=${name}`,
            `--initial-advertise-peer-urls=${url}`,
            '--listen-peer-urls=http://0.0.0.0:2380',
            '--listen-client-urls=http://0.0.0.0:2379',
            `--advertise-client-urls=http://${name}.${name}.${namespace}.svc:2379`,
            `--initial-cluster=${initialCluster}`,
            '--initial-cluster-state=existing',
          ],
          volumeMounts: [{ name: 'data', mountPath: '/var/etcd' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  };
}
