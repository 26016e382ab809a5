// SPDX-License-Identifier: Apache-2.0
import type { Transport } from '@etcd-operator/kube';

/** The names CONFORMANCE_BACKENDS may list, and the heads of the columns. */
export type BackendName = 'lab' | 'kube-apiserver' | 'kubelet';

/**
 * An API server under test. Cases see nothing of it but its API, with what every installation has: RBAC, anonymous
 * requests, the default admission plugins, and the controllers that finish what the API server begins (garbage, namespaces,
 * aggregated roles).
 */
export interface Backend extends AsyncDisposable {
  readonly name: BackendName;
  /** How long it may take, in milliseconds, to do what it does in its own time. */
  readonly patience: number;
  /** As a member of `system:masters`, who may do everything, also impersonate. */
  readonly admin: Transport;
  /** As whoever the bearer token says; without one as `system:anonymous`. */
  bearer(token?: string): Transport;
  /** Forgets the history before this moment, as storage does every few minutes. Present objects stay as they are. */
  compact(): Promise<void>;
}
