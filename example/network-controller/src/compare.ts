// SPDX-License-Identifier: Apache-2.0
import type { NetworkSettings } from './neutron/neutron.ts';

/** The one call that brings the network service to what was asked for, if there is any to make. */
export type Step =
  | { readonly type: 'nothing' }
  | { readonly type: 'create' | 'update'; readonly settings: NetworkSettings }
  | { readonly type: 'delete' };

/** Compares what is wanted with what is there; undefined is "none". */
export function compare(desired: NetworkSettings | undefined, actual: NetworkSettings | undefined): Step {
  if (!desired) return { type: actual ? 'delete' : 'nothing' };
  const { cidr, gateway } = desired;
  if (!actual) return { type: 'create', settings: { cidr, gateway } };
  if (cidr === actual.cidr && gateway === actual.gateway) return { type: 'nothing' };
  return { type: 'update', settings: { cidr, gateway } };
}
