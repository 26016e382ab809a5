// SPDX-License-Identifier: Apache-2.0
import { clientPort, type Dialer, EtcdError, type Login, MemberClient, type TlsMaterial } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';

/** One member's etcd as the operator reaches it: at the pod's address, with the member's name expected in its certificate. */
export interface MemberTarget {
  readonly podName: string;
  readonly podUid: string;
  /** Empty while the pod has no address, so that the operator cannot ask the member. */
  readonly ip: string;
  /** The member's DNS name. */
  readonly serverName: string;
  /** True if the pod is being deleted. @default false */
  readonly isEnding?: boolean;
  /** True if the process of the pod has ended as well and so cannot answer. @default false */
  readonly hasEnded?: boolean;
  /** True if the member is joining and its pod does not record it as a voter yet. @default false */
  readonly isJoining?: boolean;
  /** The recorded identity of the member at this address; empty or absent if none is recorded. */
  readonly clusterId?: string;
  readonly memberId?: string;
}

/** How the operator authenticates to the members of one cluster. */
export interface ClusterCredentials {
  readonly tls: TlsMaterial | undefined;
  readonly login: Login | undefined;
}

export interface MemberPoolOptions {
  readonly clock: Clock;
  /** @default `networkDialer`, which connects over the network */
  readonly dial?: Dialer;
}

interface Entry {
  readonly client: MemberClient;
  readonly ip: string;
}

/**
 * The clients of one cluster's members, one per pod. A client opens connections when it is used and closes them when idle, so a cluster
 * that is not asked costs no connections. The client of a pod that is gone is closed.
 */
export class MemberPool {
  readonly #options: MemberPoolOptions;
  readonly #entries = new Map<string, Entry>();
  #credentials: ClusterCredentials = { tls: undefined, login: undefined };

  constructor(options: MemberPoolOptions) {
    this.#options = options;
  }

  /** Returns clients for exactly these pods, and closes the clients of all other pods. */
  clients(targets: readonly MemberTarget[], credentials: ClusterCredentials): ReadonlyMap<string, MemberClient> {
    this.#credentials = credentials;
    const wanted = new Set(targets.map((target) => target.podUid));
    for (const [uid, entry] of this.#entries) {
      if (!wanted.has(uid)) this.#drop(uid, entry);
    }
    const reachable = targets.filter(({ ip }) => ip !== '');
    return new Map(reachable.map((target) => [target.podName, this.#clientOf(target)]));
  }

  /** Returns a client with a new connection, because an old connection may lead to the pod that had the address before. */
  renewed(target: MemberTarget): MemberClient {
    const known = this.#entries.get(target.podUid);
    if (known) this.#drop(target.podUid, known);
    return this.#clientOf(target);
  }

  close(): void {
    for (const [uid, entry] of this.#entries) this.#drop(uid, entry);
  }

  /** When a node reboots, a pod gets a new address and keeps its UID. So the client of a pod is replaced when the address has changed. */
  #clientOf({ podUid, ip, serverName }: MemberTarget): MemberClient {
    const known = this.#entries.get(podUid);
    if (known?.ip === ip) return known.client;
    if (known) this.#drop(podUid, known);
    const client = new MemberClient({
      target: { host: ip, port: clientPort },
      serverName,
      clock: this.#options.clock,
      tls: () => this.#credentials.tls,
      login: () => this.#credentials.login,
      loginElsewhere: (login, wait) => this.#loginBeside(podUid, login, wait),
      ...(this.#options.dial && { dial: this.#options.dial }),
      timeoutMs: 2_500,
      // Shorter than the timeout of the call, so that a call without a connection always fails with the same message.
      connectTimeoutMs: 2_000,
    });
    this.#entries.set(podUid, { client, ip });
    return client;
  }

  /** Authenticates with another member: the first member that accepts the user. */
  async #loginBeside(podUid: string, login: Login, wait: { readonly signal?: AbortSignal }): Promise<string> {
    let failure: unknown = new EtcdError('Unavailable', 'there is no other member to authenticate with');
    for (const [uid, { client }] of this.#entries) {
      if (uid === podUid) continue;
      try {
        return await client.authenticate(login, wait);
      } catch (error) {
        wait.signal?.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  #drop(uid: string, { client }: Entry): void {
    this.#entries.delete(uid);
    client.close();
  }
}
