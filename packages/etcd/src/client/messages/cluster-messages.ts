// SPDX-License-Identifier: Apache-2.0
import { bool, repeated, string, uint64 } from '../wire/field.ts';
import { type Decoded, embedded, message } from '../wire/message.ts';
import { responseHeader } from './kv-messages.ts';

/**
 * The most members, and the most URLs of a member, in an answer. That is far more than etcd supports; a list of
 * millions would exceed the memory of the operator.
 */
const mostMembers = 64;

/** A member in the member list. The name and the client URLs are empty until it has started for the first time. */
export const member = message({
  id: uint64(1),
  name: string(2),
  peerUrls: repeated(string(3), mostMembers),
  clientUrls: repeated(string(4), mostMembers),
  isLearner: bool(5),
});
export type Member = Decoded<typeof member>;

export const memberAddRequest = message({ peerUrls: repeated(string(1)), isLearner: bool(2) });
export const memberAddResponse = message({
  header: embedded(1, responseHeader),
  member: embedded(2, member),
  members: repeated(embedded(3, member), mostMembers),
});
export type MemberAddResponse = Decoded<typeof memberAddResponse>;

export const memberIdRequest = message({ id: uint64(1) });
export const memberUpdateRequest = message({ id: uint64(1), peerUrls: repeated(string(2)) });
export const memberListRequest = message({ linearizable: bool(1) });

/** The answer to list, remove, update and promote: the current members. */
export const membersResponse = message({
  header: embedded(1, responseHeader),
  members: repeated(embedded(2, member), mostMembers),
});
export type MembersResponse = Decoded<typeof membersResponse>;
