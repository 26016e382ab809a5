// SPDX-License-Identifier: Apache-2.0
import { memberAddress } from '@operator-parts/etcd';
import type { StubEtcd } from '@operator-parts/etcd/testing';
import { type Client, createClient, type Pod, pods } from '@operator-parts/kube';
import type { ApiServer } from '@operator-parts/kube-lab';

/** Reports every member pod as running, and starts a stub of its etcd. Runs nothing else. */
export class StubKubelet {
  readonly #client: Client;
  readonly #etcd: StubEtcd;
  readonly #seen = new Set<string>();
  readonly #stop: () => void;
  #failure: unknown;

  constructor(server: ApiServer, etcd: StubEtcd) {
    this.#client = createClient(server.transport());
    this.#etcd = etcd;
    this.#stop = server.feed.subscribe(pods, ({ type, object }) => {
      const uid = object.metadata?.uid ?? '';
      if (type === 'DELETED' || this.#seen.has(uid)) return;
      this.#seen.add(uid);
      this.#run(object, this.#seen.size).catch((error: unknown) => {
        this.#failure ??= error;
      });
    });
  }

  /** Throws an error that occurred meanwhile. */
  check(): void {
    if (this.#failure !== undefined) throw new Error('a pod could not be made to run', { cause: this.#failure });
  }

  stop(): void {
    this.#stop();
  }

  async #run({ metadata = {}, spec }: Pod, index: number): Promise<void> {
    const { name = '', namespace = '', labels = {} } = metadata;
    const cluster = labels['etcd_cluster'] ?? '';
    const address = `127.10.${index >> 8}.${index & 255}`;
    const { peerUrl } = memberAddress(
      { member: name, cluster, namespace, clusterDomain: '' },
      { peer: false, client: false },
    );
    await this.#etcd.start({ cluster: `${namespace}/${cluster}`, name, peerUrl, address });
    await this.#client
      .resource(pods)
      .status.patch(
        { name, namespace },
        { type: 'merge', patch: { status: running(address, spec?.containers[0]?.image ?? '', name) } },
      );
  }
}

function running(podIP: string, image: string, name: string): Pod['status'] {
  const since = new Date().toISOString();
  return {
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: since,
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: since,
    })),
    containerStatuses: [
      {
        name: 'etcd',
        image,
        imageID: image,
        containerID: `stub://${name}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: since } },
      },
    ],
  };
}
