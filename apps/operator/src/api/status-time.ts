// SPDX-License-Identifier: Apache-2.0
import { parseTime } from '@etcd-operator/kube';

/** A time of the status, in milliseconds since the epoch; undefined for what is none. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  try {
    return parseTime(text);
  } catch {
    return undefined;
  }
}
