// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';

/** The present second as the API writes times: `2026-01-01T00:00:00Z`. */
export function timestamp(clock: Pick<Clock, 'now'>): string {
  return timestampOf(clock.now());
}

/** A time in milliseconds as the API writes it. */
export function timestampOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
