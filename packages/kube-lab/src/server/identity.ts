// SPDX-License-Identifier: Apache-2.0

/** The authenticated user of a request. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** The name of this client in the scope of a fault. @default the user agent, else the user */
  readonly client?: string;
}

/** A member of `system:masters`: may do everything. The default of a transport. */
export const adminIdentity: Identity = { user: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The user of a request without credentials. */
export const anonymousIdentity: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
