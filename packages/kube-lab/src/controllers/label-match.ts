// SPDX-License-Identifier: Apache-2.0
import type { Labels } from '@operator-parts/kube';

/** True if all wanted labels exist with the wanted values. */
export function hasLabels(wanted: Labels, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
