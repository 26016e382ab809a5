// SPDX-License-Identifier: Apache-2.0

/** A text of Kubernetes or etcd, shortened to fit a message, with a full stop at its end. */
export function sentence(text: string): string {
  const shown = text.trim().slice(0, 300).trimEnd();
  return /[.!?]$/.test(shown) ? shown : `${shown}.`;
}

/** `member a`, `members a and b`, `members a, b and c`. */
export function membersNamed(names: readonly string[]): string {
  const [last, ...others] = [...names].reverse();
  if (last === undefined) return 'no member';
  return others.length === 0 ? `member ${last}` : `members ${others.reverse().join(', ')} and ${last}`;
}
