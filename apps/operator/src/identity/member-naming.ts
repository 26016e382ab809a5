// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** The letters and digits CoreOS etcd-operator drew from: no vowels, nothing that looks like something else. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 10;

/** Longest name of a cluster whose pods still fit a DNS label. */
export const longestClusterName = 63 - 1 - suffixLength;

/**
 * The name of the first member. Computed, not drawn: two operators that act at once choose the same name and collide
 * (safety rule 3, operator rule 13).
 */
export function seedName(cluster: string, uid: string, incarnation: number): string {
  return `${cluster}-${suffix([uid, String(incarnation), 'seed'])}`;
}

/**
 * The name of the next member, from the members there are. A member that was the last to join and has been removed leaves
 * exactly the list its name was computed from, so names that a pod or volume still bears are passed over.
 */
export function nextMemberName(
  cluster: string,
  uid: string,
  incarnation: number,
  memberIds: readonly string[],
  taken: ReadonlySet<string>,
): string {
  const parts = [uid, String(incarnation), ...[...memberIds].sort()];
  for (let attempt = 0; ; attempt++) {
    const name = `${cluster}-${suffix(attempt === 0 ? parts : [...parts, `#${attempt}`])}`;
    if (!taken.has(name)) return name;
  }
}

/** The token that keeps two lives of a cluster apart, even under the same name and addresses. */
export function clusterToken(uid: string, incarnation: number): string {
  return `${uid}-${incarnation}`;
}

/** True for names this operator or CoreOS gives: `<cluster>-<10 characters>` or `<cluster>-NNNN`. */
export function isMemberName(cluster: string, name: string): boolean {
  const isOfOriginal = name.startsWith(`${cluster}-`) && /^\d{4,}$/.test(name.slice(cluster.length + 1));
  return isOfOriginal || isComputedName(cluster, name);
}

/** True for names that only this operator gives: nobody else comes upon them. */
export function isComputedName(cluster: string, name: string): boolean {
  const rest = name.slice(cluster.length + 1);
  const isOfAlphabet = rest.length === suffixLength && [...rest].every((char) => alphabet.includes(char));
  return name.startsWith(`${cluster}-`) && isOfAlphabet;
}

/** True for an address that this operator or CoreOS gives: `<member>.<cluster>.<namespace>.svc`, with or without a domain. */
export function isOwnAddress(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  peerURL: string,
): boolean {
  const [member = '', cluster, place, service] = (/^https?:\/\/([^:/]+)/.exec(peerURL)?.[1] ?? '').split('.');
  return isMemberName(name, member) && cluster === name && place === namespace && service === 'svc';
}

function suffix(parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('\0')).digest();
  let value = 0n;
  for (const byte of digest.subarray(0, 16)) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < suffixLength; i++) {
    text += alphabet[Number(value % BigInt(alphabet.length))] ?? '';
    value /= BigInt(alphabet.length);
  }
  return text;
}
