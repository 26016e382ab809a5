// SPDX-License-Identifier: Apache-2.0
import { labAddress } from '../../network/addresses.ts';
import type { SandboxSpec } from '../container-runtime.ts';
import { runCommand, tryCommand } from '../run-command.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { SystemTools } from '../system-tools.ts';

/** Next hop of every pod: not an address anyone has, just a neighbour entry that leads to the lab's end of the cable. */
const nextHop = '169.254.1.1';
const labMac = '02:00:00:00:00:01';

/** Rules of partitions come before this one; without that, what is addressed to the lab itself could not be cut off. */
const localRulePreference = 30_000;

interface Attached {
  readonly spec: SandboxSpec;
  /** The lab's end of the pod's cable. */
  readonly link: string;
}

/**
 * The pods' network. Every pod hangs on a cable of its own and all packets between pods are routed by the lab, so that one
 * routing rule cuts any pair, in one direction if wanted, silently; nothing but `ip` is needed. No route leads out.
 */
export class PodNetwork {
  readonly #tools: SystemTools;
  readonly #attached = new Map<string, Attached>();
  #count = 0;

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** Prepares the lab's own side; once. */
  async open(addresses: readonly string[]): Promise<void> {
    await this.#ip([
      'link set lo up',
      ...[labAddress, ...addresses].map((address) => `addr add ${address}/32 dev lo`),
      `rule add pref ${localRulePreference} lookup local`,
      'rule del pref 0',
    ]);
  }

  /** Adds or drops an address of the lab itself, such as a cluster IP. */
  async own(address: string, present: boolean): Promise<void> {
    await this.#ip([`addr ${present ? 'replace' : 'del'} ${address}/32 dev lo`]);
  }

  async attach(spec: SandboxSpec): Promise<void> {
    if (this.#attached.has(spec.id)) return;
    const link = `pod${++this.#count}`;
    this.#attached.set(spec.id, { spec, link });
    try {
      await this.#ip([
        `netns add ${spec.id}`,
        `link add ${link} address ${labMac} type veth peer name eth0 netns ${spec.id}`,
        `link set ${link} up`,
        `route replace ${spec.address}/32 dev ${link} src ${labAddress}`,
      ]);
      await this.#ip(
        [
          'link set lo up',
          `addr add ${spec.address}/32 dev eth0`,
          'link set eth0 up',
          `neigh add ${nextHop} lladdr ${labMac} dev eth0 nud permanent`,
          `route add default via ${nextHop} dev eth0 onlink`,
        ],
        spec.id,
      );
    } catch (error) {
      await this.detach(spec.id);
      throw error;
    }
  }

  /** Namespaces vanish with their last process; the cable is removed at once, so that the address is free. */
  async detach(id: string): Promise<void> {
    const attached = this.#attached.get(id);
    if (!attached) return;
    this.#attached.delete(id);
    await tryCommand(this.#tools.ip, ['link', 'del', attached.link]);
    await tryCommand(this.#tools.ip, ['netns', 'del', id]);
  }

  /** The file that stands for the pod's network namespace; undefined if there is no such sandbox. */
  namespaceFile(id: string): string | undefined {
    return this.#attached.has(id) ? `/run/netns/${id}` : undefined;
  }

  /** The lab's end of a pod's cable, and the address at the other end. */
  attached(id: string): { readonly link: string; readonly address: string } {
    const attached = this.#attached.get(id);
    if (!attached) throw new RuntimeError('NotFound', `sandbox ${id} does not exist`);
    return { link: attached.link, address: attached.spec.address };
  }

  async #ip(lines: readonly string[], namespace?: string): Promise<void> {
    const where = namespace ? ['-n', namespace] : [];
    await runCommand(this.#tools.ip, [...where, '-batch', '-'], `${lines.join('\n')}\n`);
  }
}
