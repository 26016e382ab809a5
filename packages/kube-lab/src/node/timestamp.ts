// SPDX-License-Identifier: Apache-2.0

/** A time as Kubernetes writes it: RFC 3339, whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** A time with microseconds, for Leases and newer Events: exactly six digits. */
export function microTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
