// SPDX-License-Identifier: Apache-2.0

/** Who makes a request, as authentication found out. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Names this client in the scope of a fault. @default the user agent, else the user */
  readonly client?: string;
}

/** A member of `system:masters`: may do everything. What a transport uses unless told otherwise. */
export const adminIdentity: Identity = { user: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** Who a request without any credentials is. */
export const anonymousIdentity: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
