// SPDX-License-Identifier: Apache-2.0
/**
 * Faults of nodes, pods, their network and their disks, each a typed call. A fault that lasts is returned as a `Fault`,
 * to be healed or used with `await using`. Faults of the API server are in `lab.server.faults`.
 */
import type { Client } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import type { LabNode } from '../lab-node.ts';
import { DiskFaults } from './disk-faults.ts';
import { NetworkFaults } from './network-faults.ts';
import { NodeFaults } from './node-faults.ts';
import { PodFaults } from './pod-faults.ts';
import { Directory } from './target.ts';

export type { DiskFaults } from './disk-faults.ts';
export type { Fault } from './fault.ts';
export type { NetworkFaults } from './network-faults.ts';
export type { NodeFaults } from './node-faults.ts';
export type { PodFaults } from './pod-faults.ts';
export type { Target } from './target.ts';

/** All faults of nodes and pods. */
export interface LabFaults {
  readonly network: NetworkFaults;
  readonly node: NodeFaults;
  readonly pod: PodFaults;
  readonly disk: DiskFaults;
}

export function createFaults(options: {
  readonly agent: AgentProcess;
  readonly runtime: ContainerRuntime;
  readonly nodes: readonly LabNode[];
  readonly client: Client;
  readonly clock: Clock;
}): LabFaults {
  const { agent, runtime, client, clock } = options;
  const directory = new Directory(options.nodes);
  return {
    network: new NetworkFaults(agent, directory),
    node: new NodeFaults(agent, directory, client, clock),
    pod: new PodFaults(agent, runtime, directory),
    disk: new DiskFaults(agent, directory),
  };
}
