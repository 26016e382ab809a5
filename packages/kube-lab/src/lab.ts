// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, configMaps, createClient, pods } from '@operator-parts/kube';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { createFirstObjects, createStorageClasses } from './controllers/bootstrap.ts';
import { startControllers, startVolumes } from './controllers/index.ts';
import { rootCaName } from './controllers/namespaces/root-ca-publisher.ts';
import { SharedCaches } from './controllers/shared-caches.ts';
import { createImageTable, type ImageTable } from './images/image-table.ts';
import type { IpFamilies } from './network/addresses.ts';
import { type Forward, openForward } from './network/forward.ts';
import { DiskShelf } from './node/disk-shelf.ts';
import { createFaults, type LabFaults } from './node/faults/index.ts';
import type { LabNode } from './node/lab-node.ts';
import { type LabNodeSpec, type NodeFleet, openFleet } from './node/node-fleet.ts';
import { startJanitor } from './runtime/janitor.ts';
import { checkPrerequisites } from './runtime/prerequisites.ts';
import { RuntimeError } from './runtime/runtime-error.ts';
import { type ApiServer, createApiServer } from './server/api-server.ts';
import type { Identity } from './server/identity.ts';
import type { NodeProxy } from './server/node-proxy.ts';

export interface LabOptions {
  /**
   * Nodes that run pods, or their number. 0: only the API server and the controllers, which run on every system.
   * @default 1
   */
  readonly nodes?: number | readonly LabNodeSpec[];
  /** The IP families of pods and Services, the primary one first; two mean a dual-stack cluster. @default `['IPv4']` */
  readonly ipFamilies?: IpFamilies;
  /** The images that pods may use. @default `createImageTable([])` */
  readonly images?: ImageTable;
  /** Delays of the kubelet and of controllers are divided by this number; delays in a spec are not. @default 1 */
  readonly timeFactor?: number;
  /** Where the lab creates its folder, which is removed at the end. @default `os.tmpdir()` */
  readonly directory?: string;
  /**
   * A control plane with its own controllers and scheduler, from `connectApiServer`. The lab adds nodes, their network,
   * and volumes.
   * @default the lab's own API server
   */
  readonly server?: ApiServer;
  /** Port of the API server on loopback. @default any free port */
  readonly port?: number;
  /** `rbac` as in every cluster today; `allow-all` allows every request. @default 'rbac' */
  readonly authorization?: 'rbac' | 'allow-all';
  /** @default `systemClock` */
  readonly clock?: Clock;
  /** @default `systemRandom` */
  readonly random?: Random;
  /** @default `silentLogger` */
  readonly log?: Logger;
}

/**
 * The target of a connection: an address, a DNS name, a Service, or a pod. A pod's address is read when the connection
 * is opened.
 */
export type Destination =
  | string
  | { readonly service: string; readonly namespace?: string }
  | { readonly pod: string; readonly namespace?: string };

/** A Kubernetes in one process tree. Everything in it ends when it is stopped or when this process ends. */
export interface Lab extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client without sockets. @param identity @default `adminIdentity` */
  client(identity?: Identity): Client;
  /** File with an administrator's kubeconfig, for kubectl and other programs on this machine. */
  readonly kubeconfigPath: string;
  readonly url: string;
  readonly nodes: readonly LabNode[];
  /** The lab's folder on the host. */
  readonly directory: string;
  /** Logs, exec and port-forward of pods, for the API server. Fails in a lab without nodes. */
  readonly proxy: NodeProxy;
  /** Faults of nodes, pods, their network and their disks. Fails in a lab without nodes. */
  readonly faults: LabFaults;
  /** Connects to a pod, a service, an address or a DNS name of the lab, as if from inside. */
  dial(to: Destination, port: number, signal?: AbortSignal): Promise<Socket>;
  /** Opens a port on the host's loopback that leads to a pod, a service, an address or a DNS name of the lab. */
  forward(to: Destination, port: number, localPort?: number): Promise<Forward>;
  stop(): Promise<void>;
}

type Closers = (() => void | Promise<void>)[];

/** Starts a lab: the API server, the controllers, and nodes that run pods as real processes. Resolves when all is ready. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const closers: Closers = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await assemble(options, closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(options: LabOptions, closers: Closers, stop: () => Promise<void>): Promise<Lab> {
  const specs = nodeSpecs(options.nodes ?? 1);
  const prerequisites = specs.length > 0 ? await checkPrerequisites() : undefined;
  const directory = await mkdtemp(join(options.directory ?? tmpdir(), 'kube-lab-'));
  const janitor = startJanitor({ sh: prerequisites?.tools.sh ?? '/bin/sh' }, directory);
  closers.push(() => janitor.clean());
  let fleet: NodeFleet | undefined;
  const base: LabBase = {
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? silentLogger,
    timeFactor: options.timeFactor ?? 1,
    ipFamilies: options.ipFamilies ?? ['IPv4'],
    directory,
    disks: new DiskShelf(directory, () => fleet?.runtime),
  };
  const plane = await openControlPlane(base, options, closers);
  const { server, client, kubeconfigPath, url, clock } = plane;
  if (prerequisites) {
    const images = options.images ?? createImageTable([]);
    fleet = await openFleet({ ...base, ...plane, images, specs, prerequisites }, closers);
    const { agent, proxy } = fleet;
    server.useNodeProxy(proxy);
    server.useDialService((host, port) => agent.dial(host, port));
  }
  const inside = fleet && { ...fleet, faults: createFaults({ ...fleet, client: client(), clock }) };
  const needNodes = () => {
    if (inside) return inside;
    throw new RuntimeError(
      'Unsupported',
      'this lab has no nodes, so there is no pod to connect to and no node to disturb',
    );
  };
  const dial = async (to: Destination, port: number, signal?: AbortSignal): Promise<Socket> =>
    needNodes().agent.dial(hostOf(to, plane.caches), port, signal);
  return {
    server,
    client,
    kubeconfigPath,
    url,
    nodes: inside?.nodes ?? [],
    directory,
    get proxy() {
      return needNodes().proxy;
    },
    get faults() {
      return needNodes().faults;
    },
    dial,
    forward: (to, port, localPort) => openForward(() => dial(to, port), localPort),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function hostOf(to: Destination, caches: SharedCaches): string {
  if (typeof to === 'string') return to;
  const namespace = to.namespace ?? 'default';
  if ('service' in to) return `${to.service}.${namespace}.svc.cluster.local`;
  const address = caches.of(pods).get(namespace, to.pod)?.status?.podIP;
  if (address) return address;
  throw new RuntimeError('NotFound', `pod ${namespace}/${to.pod} does not exist or has no address yet`);
}

/** What all parts of a lab share. */
interface LabBase {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly timeFactor: number;
  readonly ipFamilies: IpFamilies;
  readonly directory: string;
  readonly disks: DiskShelf;
}

/** The API server, listening, with the objects that every cluster has, and the controllers. */
interface ControlPlane {
  readonly server: ApiServer;
  readonly client: Lab['client'];
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly caches: SharedCaches;
  /** The lab's clock. A jump of the API server's clock also moves the clock of nodes and controllers. */
  readonly clock: Clock;
}

async function openControlPlane(
  base: LabBase,
  { port, authorization, server: elsewhere }: LabOptions,
  closers: Closers,
): Promise<ControlPlane> {
  const server = elsewhere ?? createApiServer({ ...base, ...(authorization ? { authorization } : {}) });
  const { clock } = server;
  closers.push(() => server.close());
  const { url, kubeconfig, caPem } = await server.listen(port === undefined ? {} : { port });
  const kubeconfigPath = join(base.directory, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const client = (identity?: Identity) => createClient(server.transport(identity));
  await createFirstObjects(client(), base.ipFamilies[0]);
  await createStorageClasses(client());
  const caches = new SharedCaches(server.feed);
  closers.push(() => caches.leave());
  const start = elsewhere ? startVolumes : startControllers;
  closers.push(start({ ...base, clock, client: client(), caches, caPem }));
  // Pods mount this ConfigMap: the lab is not ready before it exists.
  await caches.of(configMaps).appears('default', rootCaName);
  return { server, client, url, kubeconfigPath, caches, clock };
}

function nodeSpecs(nodes: number | readonly LabNodeSpec[]): readonly LabNodeSpec[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}
