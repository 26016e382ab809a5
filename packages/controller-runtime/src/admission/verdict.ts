// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';

/** Admits a request; `warnings` are shown to the user who made it. */
export interface Allowed {
  readonly type: 'allow';
  readonly warnings: readonly string[];
}

/** Refuses a request. `message` is what the user reads, `reason` and `code` what programs see. */
export interface Denied {
  readonly type: 'deny';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly warnings: readonly string[];
}

/** Lets a request pass with the object changed. */
export interface Changed<T extends KubeObject> {
  readonly type: 'change';
  readonly object: T;
  readonly warnings: readonly string[];
}

/** The answer of a validating webhook. */
export type Verdict = Allowed | Denied;

/** The answer of a mutating webhook. */
export type Mutation<T extends KubeObject> = Verdict | Changed<T>;

export function allow(options: { readonly warnings?: readonly string[] } = {}): Allowed {
  return { type: 'allow', warnings: options.warnings ?? [] };
}

/** @param options `reason` @default 'Forbidden'; `code`, an HTTP status @default 403 */
export function deny(
  message: string,
  options: { readonly reason?: string; readonly code?: number; readonly warnings?: readonly string[] } = {},
): Denied {
  const { reason = 'Forbidden', code = 403, warnings = [] } = options;
  return { type: 'deny', message, reason, code, warnings };
}

/** Admits the request with `object` in place of the one that was sent. The patch is computed from the difference. */
export function change<T extends KubeObject>(
  object: T,
  options: { readonly warnings?: readonly string[] } = {},
): Changed<T> {
  return { type: 'change', object, warnings: options.warnings ?? [] };
}
