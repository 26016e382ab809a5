// SPDX-License-Identifier: Apache-2.0
import type { StoredEvent, WatchEvent } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import type { SegmentHeader } from '../../changes/segment-header.ts';
import type { SegmentName } from '../../changes/segment-names.ts';
import { listSegments, readSegment } from '../../changes/stored-segments.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import type { BackupLab } from '../../testing/backup-lab.ts';

/** The recorded changes of a cluster in the store. */
export interface Recorded {
  readonly segments: readonly SegmentName[];
  readonly headers: readonly SegmentHeader[];
  /** Every recorded revision, in the order of the segments. A revision that is recorded twice is listed twice. */
  readonly revisions: readonly { readonly revision: bigint; readonly events: readonly string[] }[];
  /** True if every segment names its predecessor or a snapshot. */
  readonly isChained: boolean;
}

/** Reads all segments of a path, and fails if one cannot be read. */
export async function readRecorded(ground: BackupLab, base: string, keys?: KeyProvider): Promise<Recorded> {
  const store = await ground.bucket();
  const { signal } = new AbortController();
  const segments = await listSegments(store, base, signal);
  const headers: SegmentHeader[] = [];
  const revisions: { revision: bigint; events: readonly string[] }[] = [];
  let isChained = true;
  let history: string | undefined;
  for (const name of segments) {
    const segment = await readSegment(store, name, keys, signal);
    const { before } = segment.header;
    if (before.kind === 'segment') isChained &&= before.history === history;
    headers.push(segment.header);
    for await (const { revision, events } of segment.revisions) revisions.push({ revision, events: events.map(line) });
    history = segment.history();
  }
  store.close();
  return { segments, headers, revisions, isChained };
}

/** The history from one revision to another, according to etcd. */
export async function readHistory(member: EtcdProcess, from: bigint, to: bigint): Promise<Recorded['revisions']> {
  const all = Uint8Array.of(0);
  const found = new Map<bigint, string[]>();
  using client = member.client({ maxMessageBytes: 256 * 1024 * 1024 });
  for await (const { events } of client.watchBatches({ key: all, rangeEnd: all, startRevision: from })) {
    for (const event of events)
      found.set(event.kv.modRevision, [...(found.get(event.kv.modRevision) ?? []), line(event)]);
    if ((events.at(-1)?.kv.modRevision ?? 0n) >= to) break;
  }
  return [...found].map(([revision, events]) => ({ revision, events })).filter(({ revision }) => revision <= to);
}

function line({ type, kv }: StoredEvent | WatchEvent): string {
  const bytes = [kv.key, kv.value].map((one) => Buffer.from(one).toString('base64'));
  return [type, ...bytes, kv.createRevision, kv.modRevision, kv.version, kv.lease].join(' ');
}
