// SPDX-License-Identifier: Apache-2.0
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { DialService } from '../admission/webhook-client.ts';
import type { ServiceAccountTokens } from '../authn/service-account-tokens.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { FaultTarget } from '../faults/fault-scope.ts';
import type { FaultTable } from '../faults/fault-table.ts';
import type { ReplicaView } from '../faults/replica-view.ts';
import type { IpFamilies } from '../network/addresses.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteContext } from '../registry/strategy.ts';
import type { Store } from '../storage/store.ts';
import type { ApiRequest } from './api-request.ts';
import type { Identity } from './identity.ts';
import type { NodeProxy } from './node-proxy.ts';
import type { ResourceRequest } from './request-info.ts';

/** What all handlers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  /** The IP families of the cluster, the primary one first. */
  readonly ipFamilies: IpFamilies;
  readonly log: Logger;
  readonly faults: FaultTable<ReplicaView>;
  readonly authorizer: Authorizer;
  readonly tokens: ServiceAccountTokens;
  /** The connection to Services of the cluster; `current` is undefined before `useDialService`. */
  readonly dialService: { current: DialService | undefined };
  /** The nodes; `current` is undefined before `useNodeProxy`. */
  readonly nodeProxy: { current: NodeProxy | undefined };
  /** OpenAPI documents of the custom resources that are served now. */
  readonly customDocuments: Map<string, string>;
}

/** One request in the handlers. */
export interface Call extends WriteContext {
  readonly core: Core;
  readonly request: ApiRequest;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly query: URLSearchParams;
  readonly identity: Identity;
  readonly warnings: readonly string[];
  /** What faults see of the request. */
  readonly target: FaultTarget;
}
