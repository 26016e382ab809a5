// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  createClient,
  events,
  isKubeError,
  type KubeObject,
  keyOf,
  leases,
  type Node,
  nodes,
  type Pod,
  type PodSpec,
  pods,
  type Resource,
} from '@operator-parts/kube';
import { seededRandom, settle, silentLogger, VirtualClock } from '@operator-parts/ports';
import { microTimestamp, timestamp } from '../../node/timestamp.ts';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { createFirstObjects, createStorageClasses } from '../bootstrap.ts';
import { startControllers } from '../index.ts';
import { ObjectCache } from '../object-cache.ts';
import { SharedCaches } from '../shared-caches.ts';
import type { Disks } from '../storage/disks.ts';

const namespace = 'default';

/**
 * All controllers with a real API server under virtual time. Nodes and kubelets are simulated: bound pods become ready
 * at once, or when the test says so; deleted pods are removed at once.
 */
export class ControllerWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly client: Client;
  readonly disks = new Map<string, { sizeBytes: number; memory: boolean }>();
  /** What the simulated kubelet does with a bound pod: `ready`, or `wait` until the test sets its status. */
  kubelet: (pod: Pod) => 'ready' | 'wait' = () => 'ready';
  readonly #closers: (() => void)[] = [];

  private constructor() {
    const { clock } = this;
    const random = seededRandom(7);
    this.server = createApiServer({ clock, random });
    this.client = createClient(this.server.transport());
  }

  static async open(nodeNames: readonly string[] = ['a', 'b', 'c']): Promise<ControllerWorld> {
    const world = new ControllerWorld();
    await createFirstObjects(world.client, 'IPv4');
    await createStorageClasses(world.client);
    for (const name of nodeNames) await world.addNode(name);
    const caches = new SharedCaches(world.server.feed);
    const { client, clock } = world;
    const random = seededRandom(8);
    const disks = world.#disks();
    world.#closers.push(
      startControllers({ client, caches, clock, random, log: silentLogger, timeFactor: 1, disks, caPem: 'ca' }),
    );
    const cache = new ObjectCache(world.server.feed, pods);
    world.#closers.push(
      cache.subscribe(({ type, object }) => {
        if (type !== 'DELETED') void world.#tend(object);
      }),
    );
    await settle();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers) close();
    await this.server.close();
  }

  /** A node that sends heartbeats until the test stops them. */
  async addNode(name: string, change: Partial<Node> = {}): Promise<void> {
    const now = timestamp(this.clock.now());
    const labels = { 'kubernetes.io/hostname': name, ...change.metadata?.labels };
    await this.client.resource(nodes).create({ metadata: { name, labels }, spec: change.spec ?? {} });
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    const status = { allocatable: { cpu: '8', memory: '16Gi', pods: '110' }, conditions: [ready], ...change.status };
    await this.client.resource(nodes).status.patch({ name }, { type: 'merge', patch: { status } });
    await this.renewLease(name, Date.parse('2099-01-01T00:00:00Z'));
  }

  async renewLease(name: string, time = this.clock.now()): Promise<void> {
    const key = { namespace: 'kube-node-lease', name };
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(time) };
    const client = this.client.resource(leases);
    try {
      await client.patch(key, { type: 'merge', patch: { spec } });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      await client.create({ metadata: key, spec });
    }
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const metadata = resource.namespaced ? { namespace, ...object.metadata } : object.metadata;
    return this.client.resource(resource).create({ ...object, metadata });
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.client.resource(resource).get(resource.namespaced ? { namespace, name } : { name });
  }

  async patch<T extends KubeObject>(resource: Resource<T>, name: string, patch: unknown): Promise<T> {
    const key = resource.namespaced ? { namespace, name } : { name };
    return this.client.resource(resource).patch(key, { type: 'merge', patch });
  }

  async list<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> {
    return (await this.client.resource(resource).list()).items;
  }

  /** Names of pods that have not ended and are not being deleted, sorted. */
  async podNames(): Promise<readonly string[]> {
    const active = (await this.list(pods)).filter(({ metadata, status }) => {
      return !metadata?.deletionTimestamp && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
    });
    return active.map(({ metadata }) => metadata?.name ?? '').toSorted();
  }

  async eventReasons(): Promise<readonly string[]> {
    return (await this.list(events)).map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Waits, without advancing the clock, until a condition holds. */
  async until(condition: () => boolean | Promise<boolean>, turns = 2000): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      if (await condition()) return;
      await settle(1);
    }
    throw new Error(`not reached while the clock stood still: ${condition}`);
  }

  /** Waits until nothing is in progress. */
  rest(): Promise<void> {
    return settle(60);
  }

  /** Sets a pod's status as its kubelet would. */
  async setPod(pod: Pod, phase: 'Running' | 'Succeeded' | 'Failed', isReady = phase === 'Running'): Promise<void> {
    const present = await this.client.resource(pods).get(keyOf(pod));
    const now = timestamp(this.clock.now());
    const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: now };
    const exitCode = phase === 'Failed' ? 1 : 0;
    const state =
      phase === 'Running'
        ? { running: { startedAt: now } }
        : { terminated: { exitCode, finishedAt: now, startedAt: now } };
    const containerStatuses = (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      restartCount: 0,
      state,
    }));
    const others = (present.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
    const status = { ...present.status, phase, podIP: '10.244.1.2', conditions: [...others, ready], containerStatuses };
    await this.client.resource(pods).status.replace(keyOf(pod), { ...present, status });
  }

  async #tend(pod: Pod): Promise<void> {
    try {
      if (pod.metadata?.deletionTimestamp) {
        await this.client.resource(pods).delete(keyOf(pod), { gracePeriodSeconds: 0 });
      } else if (pod.spec?.nodeName && pod.status?.phase === 'Pending' && this.kubelet(pod) === 'ready') {
        await this.setPod(pod, 'Running');
      }
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  #disks(): Disks {
    return {
      create: async (handle, options) => void this.disks.set(handle, options),
      expand: async (handle, sizeBytes) => {
        const disk = this.disks.get(handle);
        if (disk) disk.sizeBytes = sizeBytes;
      },
      remove: async (handle) => void this.disks.delete(handle),
      path: () => undefined,
    };
  }
}

/** A pod spec with one container. */
export function podSpec(change: Partial<PodSpec> = {}): PodSpec {
  return { containers: [{ name: 'main', image: 'image:1' }], ...change };
}
