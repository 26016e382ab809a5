// SPDX-License-Identifier: Apache-2.0
import { readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '@operator-parts/ports';
import { startDnsServer } from '../../dns/server.ts';
import { Zone } from '../../dns/zone.ts';
import { apiServerAddress, dnsAddress, type IpFamilies } from '../../network/addresses.ts';
import type { AgentCall, AgentCalls } from '../agent-calls.ts';
import { writeVolume } from '../atomic-files.ts';
import type { ContainerExit } from '../container-runtime.ts';
import { runCommand, tryCommand } from '../run-command.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { SystemTools } from '../system-tools.ts';
import { ContainerSet } from './container/container-set.ts';
import { blankDisk, corruptDisk, fillDisk, relieveDisk, swapDisks } from './container/disks.ts';
import { ExecStreams } from './container/exec-stream.ts';
import { furnish } from './enclosure.ts';
import { Cuts } from './network/cuts.ts';
import { dial } from './network/dial.ts';
import { dialLoopback } from './network/dial-loopback.ts';
import { LatencyRelay } from './network/latency-relay.ts';
import { PodNetwork } from './network/pod-network.ts';
import { ServiceRelay } from './network/service-relay.ts';
import { slowLink } from './network/traffic.ts';

/** What a call may return besides its result. */
export interface Reply<K extends AgentCall> {
  readonly result: AgentCalls[K]['result'];
  readonly socket?: Socket;
}

/** One function per call. */
export type AgentHandlers = { readonly [K in AgentCall]: (params: AgentCalls[K]['params']) => Promise<Reply<K>> };

type HandlersOf<K extends AgentCall> = Pick<AgentHandlers, K>;

const done = { result: undefined } as const;

/** Sets up the lab's namespaces from inside, and handles calls. Never blocks, because it also serves DNS. */
export async function openAgent(options: {
  readonly tools: SystemTools;
  readonly clock: Clock;
  readonly ipFamilies: IpFamilies;
  readonly onExit: (exit: ContainerExit) => void;
}): Promise<AgentHandlers> {
  const { tools, clock, onExit, ipFamilies } = options;
  const [primary] = ipFamilies;
  await furnish(tools, ipFamilies);
  const network = new PodNetwork(tools);
  await network.open(ipFamilies, [apiServerAddress[primary], dnsAddress[primary]]);
  const zone = new Zone();
  const dns = await startDnsServer({ zone, clock, address: dnsAddress[primary], port: 53 });
  const containers = new ContainerSet({ tools, clock, network, onExit });
  const cuts = new Cuts(tools);
  const relay = new ServiceRelay(network, cuts);
  return {
    ...sandboxHandlers(network, containers),
    ...containerHandlers(containers),
    ...volumeHandlers(tools),
    ...routeHandlers(relay, apiServerAddress[primary]),
    ...faultHandlers({ network, containers, cuts, latency: new LatencyRelay(tools, clock, relay) }),
    ...diskHandlers(),
    ...streamHandlers(tools, containers),
    dialLoopback: async ({ sandbox, address, port }) => {
      const namespace = network.namespaceFile(sandbox);
      if (!namespace) throw new RuntimeError('NotFound', `sandbox ${sandbox} does not exist`);
      return { result: undefined, socket: await dialLoopback(tools, clock, namespace, address, port) };
    },
    setDns: async (behaviour) => {
      dns.behave(behaviour);
      return done;
    },
    dial: async ({ host, port }) => ({ result: undefined, socket: await dial(clock, zone, host, port) }),
    setRecords: async ({ owner, records }) => {
      zone.put(owner, records);
      return done;
    },
  };
}

function sandboxHandlers(network: PodNetwork, containers: ContainerSet): HandlersOf<'createSandbox' | 'removeSandbox'> {
  return {
    createSandbox: async (spec) => {
      await network.attach(spec);
      return done;
    },
    removeSandbox: async ({ id }) => {
      await containers.endAll(id);
      await network.detach(id);
      return done;
    },
  };
}

function containerHandlers(
  containers: ContainerSet,
): HandlersOf<'startContainer' | 'signalContainer' | 'removeContainer' | 'exec' | 'probe'> {
  return {
    startContainer: async (spec) => {
      await containers.start(spec);
      return done;
    },
    signalContainer: async ({ id, signal }) => {
      containers.signal(id, signal);
      return done;
    },
    removeContainer: async ({ id, directory }) => {
      await containers.remove(id, directory);
      return done;
    },
    exec: async ({ id, argv, limits }) => ({ result: await containers.exec(id, argv, limits) }),
    probe: async ({ target, timeoutMilliseconds }) => ({ result: await containers.probe(target, timeoutMilliseconds) }),
  };
}

function routeHandlers(relay: ServiceRelay, apiServer: string): HandlersOf<'setRoute' | 'setApiServer'> {
  return {
    setRoute: async ({ owner, route }) => {
      await relay.set(owner, route);
      return done;
    },
    setApiServer: async ({ path }) => {
      await relay.listenTo(apiServer, 443, () => ({ path }));
      return done;
    },
  };
}

function faultHandlers(parts: {
  readonly network: PodNetwork;
  readonly containers: ContainerSet;
  readonly cuts: Cuts;
  readonly latency: LatencyRelay;
}): HandlersOf<'setCuts' | 'slow' | 'freeze'> {
  const { network, containers, cuts, latency } = parts;
  return {
    setCuts: async (params) => {
      await cuts.set(params.cuts);
      return done;
    },
    slow: async ({ sandbox, slowness }) => {
      const { link, addresses } = network.attached(sandbox);
      for (const address of addresses) await latency.end(address);
      const remaining = await slowLink(link, slowness);
      const pid = containers.anyProcess(sandbox);
      if (remaining === 0 || pid === undefined) return done;
      for (const address of addresses) await latency.begin(address, pid, remaining);
      return done;
    },
    freeze: async ({ sandbox, frozen }) => {
      await containers.signalSandbox(sandbox, frozen ? 'SIGSTOP' : 'SIGCONT');
      return done;
    },
  };
}

function streamHandlers(
  tools: SystemTools,
  containers: ContainerSet,
): HandlersOf<'execStream' | 'killExec' | 'resizeExec'> {
  const streams = new ExecStreams(tools);
  return {
    execStream: async (params) => ({ result: await streams.run(containers.find(params.container), params) }),
    killExec: async ({ execId }) => {
      await streams.kill(execId);
      return done;
    },
    resizeExec: async ({ execId, width, height }) => {
      await streams.resize(execId, width, height);
      return done;
    },
  };
}

function diskHandlers(): HandlersOf<'fillDisk' | 'relieveDisk' | 'blankDisk' | 'swapDisks' | 'corruptDisk'> {
  return {
    fillDisk: async ({ directory }) => ({ result: await fillDisk(directory) }),
    relieveDisk: async ({ directory }) => {
      await relieveDisk(directory);
      return done;
    },
    blankDisk: async ({ directory }) => {
      await blankDisk(directory);
      return done;
    },
    swapDisks: async ({ one, other }) => {
      await swapDisks(one, other);
      return done;
    },
    corruptDisk: async ({ directory, match }) => ({ result: await corruptDisk(directory, match) }),
  };
}

function volumeHandlers(tools: SystemTools): HandlersOf<'mountMemory' | 'resizeMemory' | 'unmount' | 'writeFiles'> {
  return {
    writeFiles: async ({ directory, files, name }) => {
      await writeVolume(directory, files, name);
      return done;
    },
    mountMemory: async ({ directory, sizeBytes }) => {
      const size = sizeBytes === undefined ? [] : ['-o', `size=${sizeBytes}`];
      await runCommand(tools.mount, ['-t', 'tmpfs', ...size, 'tmpfs', directory]);
      return done;
    },
    resizeMemory: async ({ directory, sizeBytes }) => {
      // The first option keeps `mount` from also sending the user of the mount. That user is not mapped here, so the
      // kernel would refuse the call.
      const options = ['--options-source', 'disable', '-o', `remount,size=${sizeBytes}`];
      await runCommand(tools.mount, [...options, directory]);
      return done;
    },
    unmount: async ({ directory }) => {
      // Containers keep copies of the mount until they end. Removing the files frees the memory now.
      for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
      await tryCommand(tools.umount, ['-l', directory]);
      return done;
    },
  };
}
