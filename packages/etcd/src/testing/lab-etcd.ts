// SPDX-License-Identifier: Apache-2.0

/** The version that each of these minors has in tests. */
const releases = { '3.5': '3.5.35', '3.6': '3.6.16', '3.7': '3.7.3' } as const;

const asked = process.env['LAB_ETCD'] ?? '3.6';

/**
 * The etcd of a lab test that names no version: 3.6, or what the environment variable `LAB_ETCD` says. The areas
 * `on-etcd-3.5` and `on-etcd-3.7` of the long tier set it.
 */
export const labEtcd = found(asked);

function found(minor: string): { readonly minor: keyof typeof releases; readonly version: string } {
  if (minor === '3.5' || minor === '3.6' || minor === '3.7') return { minor, version: releases[minor] };
  throw new Error(`LAB_ETCD is ${minor}: give one of ${Object.keys(releases).join(', ')}`);
}
