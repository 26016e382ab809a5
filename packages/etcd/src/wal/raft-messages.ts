// SPDX-License-Identifier: Apache-2.0
import { bytes, repeated, uint32, uint64 } from '../client/wire/field.ts';
import { message, optional } from '../client/wire/message.ts';

/**
 * The messages in the log of etcd's raft. Field numbers are those of raftpb, walpb and etcdserverpb, the same from 3.5
 * to 3.7.
 */
export const metadata = message({ memberId: uint64(1), clusterId: uint64(2) });
export const hardState = message({ term: uint64(1), vote: uint64(2), commit: uint64(3) });
export const entry = message({ type: uint32(1), term: uint64(2), index: uint64(3), data: bytes(4) });
export const confChange = message({ id: uint64(1), type: uint32(2), memberId: uint64(3), context: bytes(4) });
const confState = message({ voters: repeated(uint64(1)), learners: repeated(uint64(2)) });
export const logSnapshot = message({ index: uint64(1), term: uint64(2), confState: optional(3, confState) });

export const entryTypes = { normal: 0, confChange: 1, confChangeV2: 2 } as const;
export const confChangeTypes = { addVoter: 0, remove: 1, update: 2, addLearner: 3 } as const;
