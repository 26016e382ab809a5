// SPDX-License-Identifier: Apache-2.0
import type { Secret } from '@operator-parts/kube';
import { labels, secretUse } from '../api/names.ts';

/**
 * How a Secret without our label is treated. Without the label, a user who may create a backup could make the operator use every Secret of
 * the namespace, even a Secret that the user may not read.
 *
 * - `ignored`: the label is not needed. For an operator of one namespace, whose users share its Secrets.
 * - `warned`: the Secret is used, and reported.
 * - `required`: the Secret is not used.
 */
export type SecretLabelRule = 'ignored' | 'warned' | 'required';

export function isLabelled({ metadata }: Secret): boolean {
  return metadata?.labels?.[labels.use] === secretUse;
}

/** The command that labels Secrets. */
export function labelCommand(namespace: string, names: readonly string[]): string {
  return `kubectl label secret --namespace ${namespace} ${names.join(' ')} ${labels.use}=${secretUse}`;
}

/** The report about Secrets that are used without the label. */
export function unlabelledMessage(namespace: string, names: readonly string[]): string {
  return `These Secrets lack the label ${labels.use}: ${names.map((name) => `secret/${name}`).join(', ')}. An operator with -require-secret-label rejects such Secrets. If they are meant for backups, label them: ${labelCommand(namespace, names)}`;
}
