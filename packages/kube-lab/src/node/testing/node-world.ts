// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  type Container,
  type ContainerStatus,
  createClient,
  events,
  isKubeError,
  type Pod,
  pods,
} from '@operator-parts/kube';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import { createImage, createImageTable } from '../../images/image-table.ts';
import { nodeAddress, podRange } from '../../network/addresses.ts';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { LabNode } from '../lab-node.ts';
import { FakeRuntime } from './fake-runtime.ts';

const realLimit = 60_000;

/** One node with a fake runtime and a real API server, under virtual time: for tests of the kubelet. */
export class NodeWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly runtime = new FakeRuntime();
  readonly server: ApiServer;
  readonly client: Client;
  readonly node: LabNode;
  readonly directory: string;

  private constructor(directory: string, timeFactor: number) {
    const { clock, runtime } = this;
    const random = seededRandom(1);
    this.directory = directory;
    this.server = createApiServer({ clock, random });
    this.client = createClient(this.server.transport());
    const image = (name: string) =>
      createImage({ files: { entries: [] }, entrypoint: [name], cmd: [], env: { IMAGE: name } });
    this.node = new LabNode({
      index: 0,
      ipFamilies: ['IPv4'],
      description: {
        name: 'node-1',
        addresses: [nodeAddress(0, 'IPv4')],
        podRanges: [podRange(0, 'IPv4')],
        labels: {},
        taints: [],
        capacity: { pods: '110' },
        bootId: 'boot',
      },
      directory,
      runtime,
      images: createImageTable([
        { repositories: ['app'], tags: { v1: image('app-v1'), v2: image('app-v2') } },
        { repositories: ['tool'], tags: { '*': image('tool') } },
      ]),
      feed: this.server.feed,
      client: this.client,
      clock,
      random,
      log: silentLogger,
      timeFactor,
      diskPath: () => undefined,
    });
  }

  static async open(timeFactor = 1): Promise<NodeWorld> {
    return new NodeWorld(await mkdtemp(join(tmpdir(), 'kube-lab-test-')), timeFactor);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.node.close();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Creates a pod that is bound to the node. */
  create(
    name: string,
    spec: Partial<NonNullable<Pod['spec']>>,
    annotations: Record<string, string> = {},
  ): Promise<Pod> {
    return this.client.resource(pods).create({
      metadata: { name, namespace: 'default', annotations },
      spec: { nodeName: 'node-1', automountServiceAccountToken: false, containers: [app()], ...spec },
    });
  }

  async pod(name: string): Promise<Pod> {
    return this.client.resource(pods).get({ namespace: 'default', name });
  }

  async status(name: string, container = 'app'): Promise<ContainerStatus | undefined> {
    const { status } = await this.pod(name);
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return all.find((each) => each.name === container);
  }

  async exists(name: string): Promise<boolean> {
    return this.pod(name).then(
      () => true,
      (error: unknown) => {
        if (isKubeError(error, 'NotFound')) return false;
        throw error;
      },
    );
  }

  async eventReasons(): Promise<readonly string[]> {
    const { items } = await this.client.resource(events).list();
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Waits, without advancing the clock, until a condition holds: real input and output take real time. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const limit = performance.now() + realLimit;
    while (!(await condition())) {
      if (performance.now() > limit) throw new Error(`not reached while the clock stood still: ${condition}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Waits until the container has been started this many times. */
  async runs(name: string, count: number): Promise<void> {
    await this.until(() => this.runtime.runs(name).length >= count);
    await this.until(async () =>
      this.node.kubelet.workers.some((worker) => worker.record.container(name).run?.state === 'running'),
    );
  }
}

/** A container named `app` with image `app:v1`. */
export function app(change: Partial<Container> = {}): Container {
  return { name: 'app', image: 'app:v1', ...change };
}
