// SPDX-License-Identifier: Apache-2.0
import type { Transport } from '@operator-parts/kube';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import type { DialService } from '../admission/webhook-client.ts';
import { ServiceAccountTokens } from '../authn/service-account-tokens.ts';
import { startAggregation } from '../authz/aggregation.ts';
import { Authorizer } from '../authz/authorizer.ts';
import { createBootstrapRoles } from '../authz/bootstrap-roles.ts';
import { Definitions } from '../crd/definitions.ts';
import { FaultTable } from '../faults/fault-table.ts';
import type { Faults } from '../faults/faults.ts';
import { LabClock } from '../faults/lab-clock.ts';
import { ReplicaView } from '../faults/replica-view.ts';
import { GarbageCollector } from '../gc/garbage-collector.ts';
import { NamespaceCleaner } from '../gc/namespaces.ts';
import { startServiceAccounts } from '../gc/service-accounts.ts';
import { StorageProtection } from '../gc/storage-protection.ts';
import { createWorkList } from '../gc/work-list.ts';
import type { IpFamilies } from '../network/addresses.ts';
import { builtinResource } from '../registry/builtin-resource.ts';
import { builtinKinds } from '../registry/builtin-table.ts';
import { Registry } from '../registry/registry.ts';
import { Store } from '../storage/store.ts';
import { createInitialObjects } from './bootstrap.ts';
import type { Core } from './core.ts';
import { createChannelHandler, createHandler } from './handler.ts';
import { HttpsFront } from './https-front.ts';
import { adminIdentity, anonymousIdentity, type Identity } from './identity.ts';
import { inProcessTransport } from './in-process-transport.ts';
import type { NodeProxy } from './node-proxy.ts';
import { createObjectFeed, type ObjectFeed } from './object-feed.ts';

export interface ApiServerOptions {
  /** @default `systemClock` */
  readonly clock?: Clock;
  /** @default `systemRandom` */
  readonly random?: Random;
  /** @default `silentLogger` */
  readonly log?: Logger;
  /** The target of logs, exec, attach and port-forward of pods. @default none; `useNodeProxy` sets it later */
  readonly nodeProxy?: NodeProxy;
  /** How webhooks that are Services of the cluster are reached. @default none; `useDialService` sets it later */
  readonly dialService?: DialService;
  /** `rbac` as in every cluster today; `allow-all` allows every request. @default 'rbac' */
  readonly authorization?: 'rbac' | 'allow-all';
  /** The IP families of the cluster's network, the primary one first. @default `['IPv4']` */
  readonly ipFamilies?: IpFamilies;
}

export interface ListenOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default any free port */
  readonly port?: number;
  /** Additional names in the serving certificate, besides those of loopback and of the `kubernetes` Service. */
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** The address of a server. */
export interface Listening {
  readonly url: string;
  readonly caPem: string;
  /** A self-contained kubeconfig for an administrator. */
  readonly kubeconfig: string;
}

/** A Kubernetes API server in this process. */
export interface ApiServer {
  /**
   * A transport without sockets. Requests are made as `identity`, without authentication.
   * @param identity @default `adminIdentity`, a member of system:masters
   */
  transport(identity?: Identity): Transport;
  /** For the lab's own controllers and nodes. */
  readonly feed: ObjectFeed;
  /** Faults for tests. */
  readonly faults: Faults;
  /** The clock of timestamps; `faults.jumpClock` moves it. */
  readonly clock: Clock;
  /** Sets the target of logs, exec, attach and port-forward of pods. */
  useNodeProxy(proxy: NodeProxy | undefined): void;
  /** Sets how webhooks that are Services of the cluster are reached. */
  useDialService(dial: DialService | undefined): void;
  /** Serves HTTPS with its own certificate authority, created at the first call. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Ends all watches and connections. */
  close(): Promise<void>;
}

/**
 * Creates an API server with the built-in kinds and the namespaces that every cluster has. It listens only when
 * `listen` is called.
 */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const clock = new LabClock(options.clock ?? systemClock);
  const store = new Store({ clock });
  const faults = new FaultTable({
    replica: (versions, staleReads) => new ReplicaView(store, versions, staleReads),
    compact: () => store.compact(),
    jumpClock: (milliseconds) => clock.jump(milliseconds),
  });
  const random = options.random ?? systemRandom;
  const core: Core = {
    store,
    faults,
    authorizer: new Authorizer(store, options.authorization === 'allow-all'),
    tokens: new ServiceAccountTokens(store, clock, random),
    registry: new Registry(),
    clock,
    random,
    ipFamilies: options.ipFamilies ?? ['IPv4'],
    log: options.log ?? silentLogger,
    customDocuments: new Map(),
    nodeProxy: { current: options.nodeProxy },
    dialService: { current: options.dialService },
  };
  for (const names of builtinKinds()) core.registry.add(builtinResource(names));
  const definitions = startDefinitions(core);
  createInitialObjects(core);
  createBootstrapRoles(core);
  const controllers = startControllers(core);
  const handle = createHandler(core);
  const openChannel = createChannelHandler(core);
  const transports = new Set<Transport>();
  const front = new HttpsFront(core, handle, openChannel);
  return {
    transport(identity = adminIdentity) {
      const transport = inProcessTransport(handle, openChannel, asAuthenticated(identity), () =>
        transports.delete(transport),
      );
      transports.add(transport);
      return transport;
    },
    feed: createObjectFeed(core.store),
    faults,
    clock,
    useNodeProxy(proxy) {
      core.nodeProxy.current = proxy;
    },
    useDialService(dial) {
      core.dialService.current = dial;
    },
    listen: (listenOptions = {}) => front.listen(listenOptions),
    async close() {
      await front.close();
      definitions.close();
      for (const stop of controllers) stop();
      for (const transport of [...transports]) await transport.close();
    },
  };
}

function startDefinitions(core: Core): Definitions {
  const resource = core.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (!resource) throw new Error('the captured API has no CustomResourceDefinition');
  return new Definitions(core, resource);
}

function startControllers(core: Core): readonly (() => void)[] {
  const list = <T>(process: (item: T) => void) => createWorkList(core.log, process);
  const collector = new GarbageCollector(core, list);
  const cleaner = new NamespaceCleaner(core, list);
  const protection = new StorageProtection(core, list);
  return [
    startServiceAccounts(core),
    startAggregation(core),
    () => collector.close(),
    () => cleaner.close(),
    () => protection.close(),
  ];
}

/** Adds the group `system:authenticated` to a user with a name, if the caller has left it out. */
function asAuthenticated(identity: Identity): Identity {
  const { user, groups } = identity;
  if (user === anonymousIdentity.user || groups.includes('system:authenticated')) return identity;
  return { ...identity, groups: [...groups, 'system:authenticated'] };
}
