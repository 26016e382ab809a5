// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import type { Clock, Timer } from '@operator-parts/ports';
import { familyOf, onlyAddress } from '../../../network/addresses.ts';
import type { SystemTools } from '../../system-tools.ts';
import { DelayStream } from './delay-stream.ts';
import { ipBatch } from './ip-batch.ts';
import type { ServiceRelay } from './service-relay.ts';

/** The priority of the rules: after the rules for cuts, before the rule for the lab's own addresses. */
const preference = 20_000;
const pollInterval = 200;
const listening = '0A';

interface Detour {
  readonly servers: Map<number, Server>;
  timer: Timer;
}

/**
 * Latency without kernel support: traffic to one pod is redirected to the lab, which forwards it with a delay, in both
 * directions. Applies to TCP connections to the pod. Open connections are reset when the latency begins or ends.
 */
export class LatencyRelay {
  readonly #tools: SystemTools;
  readonly #clock: Clock;
  readonly #relay: ServiceRelay;
  readonly #detours = new Map<string, Detour>();

  constructor(tools: SystemTools, clock: Clock, relay: ServiceRelay) {
    this.#tools = tools;
    this.#clock = clock;
    this.#relay = relay;
  }

  /** @param pid a process of the pod, to find the ports on which it listens */
  async begin(address: string, pid: number, delayMilliseconds: number): Promise<void> {
    await this.end(address);
    // The kernel would otherwise drop the pod's own packets, because their source address is now an address of the lab,
    // too.
    await writeFile('/proc/sys/net/ipv4/conf/all/accept_local', '1');
    const detour: Detour = { servers: new Map(), timer: { cancel: () => undefined } };
    this.#detours.set(address, detour);
    await ipBatch(this.#tools, this.#commands('add', address), { family: familyOf(address) });
    await this.#look(address, pid, delayMilliseconds, detour);
  }

  async end(address: string): Promise<void> {
    const detour = this.#detours.get(address);
    if (!detour) return;
    this.#detours.delete(address);
    detour.timer.cancel();
    await Promise.allSettled(
      this.#commands('del', address).map((line) => ipBatch(this.#tools, [line], { family: familyOf(address) })),
    );
    for (const server of detour.servers.values()) server.close();
  }

  /**
   * The lab gets the pod's address, so that it receives the traffic to the pod. The lab's own packets still reach the
   * pod.
   */
  #commands(verb: 'add' | 'del', address: string): readonly string[] {
    const own = `addr ${verb} ${onlyAddress(address)} dev lo${verb === 'add' && familyOf(address) === 'IPv6' ? ' nodad' : ''}`;
    return [`rule ${verb} pref ${preference} iif lo to ${address} lookup main`, own];
  }

  /** Ports that are opened later are found by polling. */
  async #look(address: string, pid: number, delay: number, detour: Detour): Promise<void> {
    for (const port of await listeningPorts(pid)) {
      if (detour.servers.has(port) || this.#detours.get(address) !== detour) continue;
      const target = () => ({ host: address, port });
      const between = () => new DelayStream(this.#clock, delay);
      detour.servers.set(port, await this.#relay.listenTo(address, port, target, between));
    }
    if (this.#detours.get(address) !== detour) return;
    detour.timer = this.#clock.schedule(pollInterval, () => {
      this.#look(address, pid, delay, detour).catch(() => undefined);
    });
  }
}

/** The TCP ports on which a process's network listens. */
async function listeningPorts(pid: number): Promise<readonly number[]> {
  const texts = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const ports = texts.flatMap((text) => text.split('\n').slice(1)).flatMap(portOf);
  return [...new Set(ports)];
}

function portOf(line: string): readonly number[] {
  const [, local = '', , state] = line.trim().split(/\s+/);
  return state === listening ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
}
