// SPDX-License-Identifier: Apache-2.0
import type { Transport } from '@operator-parts/kube';

/** The names CONFORMANCE_BACKENDS may list, and the heads of the columns. */
export type BackendName = 'lab' | 'kube-apiserver' | 'kubelet';

/**
 * An API server under test. Cases use only its API, with the usual features: RBAC, anonymous requests, the default
 * admission plugins, and the controllers that complete operations (garbage collection, namespaces, aggregated roles).
 */
export interface Backend extends AsyncDisposable {
  readonly name: BackendName;
  /** Timeout for asynchronous operations, in milliseconds. */
  readonly patience: number;
  /** A member of `system:masters`, which may do everything, including impersonation. */
  readonly admin: Transport;
  /** The user of the bearer token; without one `system:anonymous`. */
  bearer(token?: string): Transport;
  /** Compacts the history, as storage does every few minutes. Present objects are kept. */
  compact(): Promise<void>;
}
