// SPDX-License-Identifier: Apache-2.0
import { bool, bytes, choice, int64, repeated, string } from '../wire/field.ts';
import { type Decoded, embedded, message, optional } from '../wire/message.ts';
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
  events: repeated(embedded(11, event)),
});
