// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** The alphabet of CoreOS etcd-operator: no vowels, and no characters that look alike. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 10;

/** The longest name of a cluster whose pod names still fit a DNS label. */
export const longestClusterName = 63 - 1 - suffixLength;

/**
 * The name of the first member. It is computed, not random: if two operators act at the same time, both choose the same name, and only one
 * of them can create the pod (safety rule 3, operator rule 13).
 */
export function seedName(cluster: string, uid: string, incarnation: number): string {
  return `${cluster}-${suffix([uid, String(incarnation), 'seed'])}`;
}

/**
 * The name of the next member, computed from the present members. If the last member that joined has been removed, the list is the same as
 * before, and so is the computed name. So names that a pod or volume still has are skipped.
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

/** The cluster token. It separates two incarnations of a cluster, even if names and addresses are the same. */
export function clusterToken(uid: string, incarnation: number): string {
  return `${uid}-${incarnation}`;
}

/** True for names that this operator or CoreOS gives: `<cluster>-<10 characters>` or `<cluster>-NNNN`. */
export function isMemberName(cluster: string, name: string): boolean {
  const isOfOriginal = name.startsWith(`${cluster}-`) && /^\d{4,}$/.test(name.slice(cluster.length + 1));
  return isOfOriginal || isComputedName(cluster, name);
}

/** True for names that only this operator gives. No other program computes such names. */
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
