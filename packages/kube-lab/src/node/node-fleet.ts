// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import { isLabService } from '../controllers/bootstrap.ts';
import type { SharedCaches } from '../controllers/shared-caches.ts';
import type { Disks } from '../controllers/storage/disks.ts';
import { publishZone } from '../dns/zone-publisher.ts';
import type { ImageTable } from '../images/image-table.ts';
import { type IpFamilies, nodeAddress, perFamily, podRange } from '../network/addresses.ts';
import { openApiGate } from '../network/api-gate.ts';
import { publishRoutes } from '../network/service-routes.ts';
import { AgentProcess } from '../runtime/agent-process.ts';
import { createAgentRuntime } from '../runtime/agent-runtime.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Prerequisites } from '../runtime/prerequisites.ts';
import type { ApiServer } from '../server/api-server.ts';
import type { Identity } from '../server/identity.ts';
import type { NodeProxy } from '../server/node-proxy.ts';
import { LabNode } from './lab-node.ts';
import type { NodeDescription } from './node-object.ts';
import { LabNodeProxy } from './proxy/lab-node-proxy.ts';

/** A node to be created. */
export interface LabNodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NodeDescription['taints'];
  /** @default 8 CPUs, 16 GiB, 110 pods */
  readonly capacity?: Readonly<Record<string, string>>;
}

/** The part of a lab that runs pods: the lab's own Linux namespaces, and the nodes in them. */
export interface NodeFleet {
  readonly agent: AgentProcess;
  readonly runtime: ContainerRuntime;
  readonly nodes: readonly LabNode[];
  /** Logs, exec and port-forward. */
  readonly proxy: NodeProxy;
}

export interface FleetOptions {
  readonly specs: readonly LabNodeSpec[];
  readonly prerequisites: Prerequisites;
  readonly server: ApiServer;
  /** Where the API server listens on the host. */
  readonly url: string;
  readonly caches: SharedCaches;
  readonly images: ImageTable;
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly timeFactor: number;
  readonly disks: Disks;
  readonly ipFamilies: IpFamilies;
}

const defaultCapacity = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/**
 * Creates the lab's own Linux namespaces, connects them with the API server, and starts the nodes.
 * @param closers receives a function for each step that undoes it, also if a later step fails
 */
export async function openFleet(options: FleetOptions, closers: (() => void | Promise<void>)[]): Promise<NodeFleet> {
  const { prerequisites, clock, log, directory, caches, ipFamilies } = options;
  const agent = await AgentProcess.start({ prerequisites, clock, log, ipFamilies });
  closers.push(() => agent.stop());
  const { hostname, port } = new URL(options.url);
  const gate = await openApiGate(join(directory, 'api.sock'), { host: hostname, port: Number(port) });
  closers.push(() => gate.close());
  await agent.call('setApiServer', { path: gate.path });
  const quietly = (call: Promise<unknown>) => {
    void call.catch((error: unknown) => log.debug('the agent refused', { error }));
  };
  closers.push(publishZone(caches, (owner, records) => quietly(agent.call('setRecords', { owner, records }))));
  closers.push(
    publishRoutes(caches, (owner, route) => quietly(agent.call('setRoute', { owner, route })), isLabService),
  );
  await mkdir(join(directory, 'nodes'));
  const runtime = createAgentRuntime(agent);
  const nodes = options.specs.map((spec, index) => openNode(options, runtime, spec, index));
  closers.push(() => {
    for (const node of nodes) node.close();
  });
  await Promise.all(nodes.map((node) => node.registered));
  const { random } = options;
  return { agent, runtime, nodes, proxy: new LabNodeProxy({ agent, nodes, clock, random, directory }) };
}

function openNode(options: FleetOptions, runtime: ContainerRuntime, spec: LabNodeSpec, index: number): LabNode {
  const { server, images, clock, random, log, timeFactor, ipFamilies } = options;
  return new LabNode({
    index,
    ipFamilies,
    description: {
      name: spec.name,
      addresses: perFamily(ipFamilies, (family) => nodeAddress(index, family)),
      podRanges: perFamily(ipFamilies, (family) => podRange(index, family)),
      labels: spec.labels ?? {},
      taints: spec.taints ?? [],
      capacity: { ...defaultCapacity, ...spec.capacity },
      bootId: random.uuid(),
    },
    directory: join(options.directory, 'nodes'),
    runtime,
    images,
    feed: server.feed,
    client: createClient(server.transport(nodeIdentity(spec.name))),
    clock,
    random,
    log,
    timeFactor,
    diskPath: (volume) => options.disks.path(volume),
  });
}

function nodeIdentity(name: string): Identity {
  const groups = ['system:nodes', 'system:masters', 'system:authenticated'];
  return { user: `system:node:${name}`, groups, client: `kubelet/${name}` };
}
