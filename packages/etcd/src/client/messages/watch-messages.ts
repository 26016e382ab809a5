// SPDX-License-Identifier: Apache-2.0
import { bool, bytes, choice, int64, repeated, string } from '../wire/field.ts';
import { type Decoded, embedded, message, optional } from '../wire/message.ts';
import { WireError } from '../wire/reader.ts';
import { keyValue, responseHeader } from './kv-messages.ts';

export const watchRequest = message({
  create: optional(
    1,
    message({
      key: bytes(1),
      rangeEnd: bytes(2),
      startRevision: int64(3),
      progressNotify: bool(4),
      prevKv: bool(6),
      fragment: bool(8),
    }),
  ),
});

/** A key was put or deleted. */
export const event = message({
  type: choice(1, ['put', 'delete']),
  kv: embedded(2, keyValue),
  prevKv: optional(3, keyValue),
});
export type WatchEvent = Decoded<typeof event>;

export const watchResponse = message({
  header: embedded(1, responseHeader),
  watchId: int64(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: string(6),
  /** More events of the same revision follow in the next answer. */
  fragment: bool(7),
  events: repeated(embedded(11, event)),
});

const eventList = message({ events: repeated(embedded(1, event)) });

/** Events in etcd's format, for storage. The same events always give the same bytes. */
export function encodeEvents(events: readonly StoredEvent[]): Uint8Array {
  return eventList.encode({ events: events.map(({ type, kv }) => ({ type, kv: written(kv) })) });
}

/** Decodes the result of `encodeEvents`. Byte fields are views of `bytes`. Throws `WireError` for invalid bytes. */
export function decodeEvents(bytes: Uint8Array): readonly StoredEvent[] {
  return eventList.decode(bytes).events.map(({ type, kv }) => {
    if (type === 'unrecognised') throw new WireError('an event is neither a put nor a deletion');
    return { type, kv };
  });
}

/** The stored part of an event: without the previous value. */
export interface StoredEvent {
  readonly type: 'put' | 'delete';
  readonly kv: WatchEvent['kv'];
}

/** Empty fields are left out, as etcd does: a deletion has only a key and a revision. */
function written(kv: WatchEvent['kv']): Partial<WatchEvent['kv']> {
  const { key, createRevision, modRevision, version, value, lease } = kv;
  return {
    key,
    modRevision,
    ...(createRevision !== 0n && { createRevision }),
    ...(version !== 0n && { version }),
    ...(value.byteLength > 0 && { value }),
    ...(lease !== 0n && { lease }),
  };
}
