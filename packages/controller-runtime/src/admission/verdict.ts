// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@etcd-operator/kube';

/** Lets a request pass; `warnings` are shown to whoever made it. */
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

/** What a validating webhook says. */
export type Verdict = Allowed | Denied;

/** What a mutating webhook says. */
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

/** Passes with `object` in place of what was sent. The patch is computed from the difference. */
export function change<T extends KubeObject>(
  object: T,
  options: { readonly warnings?: readonly string[] } = {},
): Changed<T> {
  return { type: 'change', object, warnings: options.warnings ?? [] };
}
