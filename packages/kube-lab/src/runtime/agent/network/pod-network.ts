// SPDX-License-Identifier: Apache-2.0
import {
  type Addresses,
  familyOf,
  type IpFamilies,
  type IpFamily,
  labAddress,
  onlyAddress,
} from '../../../network/addresses.ts';
import type { SandboxSpec } from '../../container-runtime.ts';
import { tryCommand } from '../../run-command.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { SystemTools } from '../../system-tools.ts';
import { ipBatch } from './ip-batch.ts';

/** The next hop of every pod: a static neighbour entry that points to the lab's end of the veth pair. */
const nextHop: Readonly<Record<IpFamily, string>> = { IPv4: '169.254.1.1', IPv6: 'fe80::1' };
const labMac = '02:00:00:00:00:01';
const podMac = '02:00:00:00:00:02';

/**
 * The priority of the rule for the lab's own addresses. The rules for cuts come before it; otherwise traffic to the lab
 * itself could not be dropped.
 */
const localRulePreference = 30_000;

interface Attached {
  readonly spec: SandboxSpec;
  /** The lab's end of the pod's veth pair. */
  readonly link: string;
}

/**
 * The pods' network. Every pod has its own veth pair and the lab routes all packets between pods, so that one routing
 * rule disconnects any pair, in one direction if wanted. It needs only `ip`. There is no route to the outside.
 */
export class PodNetwork {
  readonly #tools: SystemTools;
  readonly #attached = new Map<string, Attached>();
  #count = 0;

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** Prepares the lab's own side of the network. Call it once. */
  async open(families: IpFamilies, addresses: readonly string[]): Promise<void> {
    const own = [...families.map((family) => labAddress[family]), ...addresses];
    await ipBatch(this.#tools, ['link set lo up', ...own.map((address) => `addr add ${held(address)} dev lo`)]);
    for (const family of families) {
      const rules = [`rule add pref ${localRulePreference} lookup local`, 'rule del pref 0'];
      await ipBatch(this.#tools, rules, { family });
    }
  }

  /** Adds or removes an address of the lab itself, such as a cluster IP. */
  async own(address: string, present: boolean): Promise<void> {
    const change = present ? `replace ${held(address)}` : `del ${onlyAddress(address)}`;
    await ipBatch(this.#tools, [`addr ${change} dev lo`]);
  }

  async attach(spec: SandboxSpec): Promise<void> {
    if (this.#attached.has(spec.id)) return;
    const link = `pod${++this.#count}`;
    this.#attached.set(spec.id, { spec, link });
    const quiet = spec.addresses.some((address) => familyOf(address) === 'IPv6') ? ' addrgenmode none' : '';
    try {
      await ipBatch(this.#tools, [
        `netns add ${spec.id}`,
        `link add ${link} address ${labMac} type veth peer name eth0 address ${podMac} netns ${spec.id}`,
        `link set ${link} up${quiet}`,
        ...spec.addresses.flatMap((address) => wayToPod(address, link)),
      ]);
      await ipBatch(
        this.#tools,
        [
          'link set lo up',
          ...spec.addresses.map((address) => `addr add ${held(address)} dev eth0`),
          `link set eth0 up${quiet}`,
          ...spec.addresses.flatMap((address) => wayOut(familyOf(address))),
        ],
        { namespace: spec.id },
      );
    } catch (error) {
      await this.detach(spec.id);
      throw error;
    }
  }

  /**
   * Removes a pod's network. Its namespace disappears with its last process, but the veth pair is removed at once, so
   * that the address is free.
   */
  async detach(id: string): Promise<void> {
    const attached = this.#attached.get(id);
    if (!attached) return;
    this.#attached.delete(id);
    await tryCommand(this.#tools.ip, ['link', 'del', attached.link]);
    await tryCommand(this.#tools.ip, ['netns', 'del', id]);
  }

  /** The file of the pod's network namespace; undefined if there is no such sandbox. */
  namespaceFile(id: string): string | undefined {
    return this.#attached.has(id) ? `/run/netns/${id}` : undefined;
  }

  /** The lab's end of a pod's veth pair, and the addresses at the other end. */
  attached(id: string): { readonly link: string; readonly addresses: Addresses } {
    const attached = this.#attached.get(id);
    if (!attached) throw new RuntimeError('NotFound', `sandbox ${id} does not exist`);
    return { link: attached.link, addresses: attached.spec.addresses };
  }
}

/** An address to add, without duplicate address detection for IPv6, which would take a second. */
function held(address: string): string {
  return `${onlyAddress(address)}${familyOf(address) === 'IPv6' ? ' nodad' : ''}`;
}

/**
 * With IPv6 neither end of a veth pair has an address for neighbour discovery, so static neighbour entries are used.
 */
function wayToPod(address: string, link: string): readonly string[] {
  const family = familyOf(address);
  return [
    `route replace ${onlyAddress(address)} dev ${link} src ${labAddress[family]}`,
    ...(family === 'IPv6' ? [`neigh add ${address} lladdr ${podMac} dev ${link} nud permanent`] : []),
  ];
}

function wayOut(family: IpFamily): readonly string[] {
  return [
    `neigh add ${nextHop[family]} lladdr ${labMac} dev eth0 nud permanent`,
    `route add default via ${nextHop[family]} dev eth0 onlink`,
  ];
}
