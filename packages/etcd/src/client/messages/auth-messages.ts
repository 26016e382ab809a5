// SPDX-License-Identifier: Apache-2.0
import { bool, bytes, choice, repeated, string, uint64 } from '../wire/field.ts';
import { type Decoded, type Encodable, embedded, message } from '../wire/message.ts';
import { responseHeader } from './kv-messages.ts';

export const authenticateRequest = message({ name: string(1), password: string(2) });
export const authenticateResponse = message({ header: embedded(1, responseHeader), token: string(2) });

export const authStatusResponse = message({
  header: embedded(1, responseHeader),
  enabled: bool(2),
  authRevision: uint64(3),
});
export type AuthStatusResponse = Decoded<typeof authStatusResponse>;

export const nameRequest = message({ name: string(1) });
export const userAddRequest = message({ name: string(1), password: string(2) });
export const userRoleRequest = message({ user: string(1), role: string(2) });

/** The roles of a user, or the names of all users or roles. */
export const namesResponse = message({ header: embedded(1, responseHeader), names: repeated(string(2)) });

/** A permission on one key, or on all keys from `key` up to but without `rangeEnd`. */
export const permission = message({
  kind: choice(1, ['read', 'write', 'readwrite']),
  key: bytes(2),
  rangeEnd: bytes(3),
});
export type Permission = Encodable<typeof permission>;

export const roleGrantPermissionRequest = message({ name: string(1), permission: embedded(2, permission) });
