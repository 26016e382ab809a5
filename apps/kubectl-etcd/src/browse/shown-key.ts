// SPDX-License-Identifier: Apache-2.0
import { type ListedKey, textOf } from '@operator-parts/etcd';
import type { SourceFacts } from './open-source.ts';

/** The output of a command that reads backups. */
export interface Output {
  readonly format: 'text' | 'wide' | 'json' | 'yaml';
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Bytes in JSON output: in the field itself if they are text, otherwise as base64 in another field. */
export function bytesField(name: 'key' | 'value', bytes: Uint8Array): Readonly<Record<string, string>> {
  const text = textOf(bytes);
  return text === undefined ? { [`${name}Base64`]: Buffer.from(bytes).toString('base64') } : { [name]: text };
}

/** A key in JSON output; its value only on request. */
export async function shownKey(listed: ListedKey, values: boolean): Promise<Readonly<Record<string, unknown>>> {
  return { ...bytesField('key', listed.key), ...(await shownState(listed, values)) };
}

/** Everything except the key. */
export async function shownState(listed: ListedKey, values: boolean): Promise<Readonly<Record<string, unknown>>> {
  return {
    createRevision: Number(listed.createRevision),
    modRevision: Number(listed.modRevision),
    version: Number(listed.version),
    ...(listed.lease !== 0n && { lease: leaseText(listed.lease) }),
    valueBytes: listed.valueBytes,
    ...(values && bytesField('value', await listed.value())),
  };
}

/** In the format of `etcdctl lease list`; empty for none. */
export function leaseText(lease: bigint): string {
  return lease === 0n ? '' : BigInt.asUintN(64, lease).toString(16).padStart(16, '0');
}

/** `my-bucket/kept.backup at revision 12 (etcd 3.6.16, verified against its manifest)`. */
export function sourceText({ source, revision, etcdVersion, verified }: SourceFacts): string {
  const proof = {
    Manifest: 'verified against its manifest',
    Embedded: 'verified against the hash at the end of the backup file',
  } as const;
  const notes = [etcdVersion && `etcd ${etcdVersion}`, verified && proof[verified]].filter(Boolean).join(', ');
  return `${source} at revision ${revision}${notes ? ` (${notes})` : ''}`;
}

export function warn({ warning }: SourceFacts, { err }: Output): void {
  if (warning !== undefined) err(`warning: ${warning}\n`);
}
