// SPDX-License-Identifier: Apache-2.0
import type { NetworkSettings } from './neutron/neutron.ts';

/** The one call that makes the network service match, if any is needed. */
export type Step =
  | { readonly type: 'nothing' }
  | { readonly type: 'create' | 'update'; readonly settings: NetworkSettings }
  | { readonly type: 'delete' };

/** Compares the desired state with the actual one; undefined means "none". */
export function compare(desired: NetworkSettings | undefined, actual: NetworkSettings | undefined): Step {
  if (!desired) return { type: actual ? 'delete' : 'nothing' };
  const { cidr, gateway } = desired;
  if (!actual) return { type: 'create', settings: { cidr, gateway } };
  if (cidr === actual.cidr && gateway === actual.gateway) return { type: 'nothing' };
  return { type: 'update', settings: { cidr, gateway } };
}
