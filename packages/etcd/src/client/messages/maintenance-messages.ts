// SPDX-License-Identifier: Apache-2.0
import { bool, choice, int64, repeated, string, uint32, uint64 } from '../wire/field.ts';
import { type Decoded, embedded, message, optional } from '../wire/message.ts';
import { responseHeader } from './kv-messages.ts';

const alarmNames = ['none', 'nospace', 'corrupt'] as const;

export const alarmRequest = message({
  action: choice(1, ['get', 'activate', 'deactivate']),
  memberId: uint64(2),
  alarm: choice(3, alarmNames),
});
const alarmMember = message({ memberId: uint64(1), alarm: choice(2, alarmNames) });
export const alarmResponse = message({
  header: embedded(1, responseHeader),
  alarms: repeated(embedded(2, alarmMember)),
});

export const statusResponse = message({
  header: embedded(1, responseHeader),
  version: string(2),
  dbSize: int64(3),
  leader: uint64(4),
  raftIndex: uint64(5),
  raftTerm: uint64(6),
  raftAppliedIndex: uint64(7),
  errors: repeated(string(8)),
  dbSizeInUse: int64(9),
  isLearner: bool(10),
  storageVersion: string(11),
  dbSizeQuota: int64(12),
  downgradeInfo: optional(13, message({ enabled: bool(1), targetVersion: string(2) })),
});

export const hashResponse = message({ header: embedded(1, responseHeader), hash: uint32(2) });
export type HashResponse = Decoded<typeof hashResponse>;

export const hashKvRequest = message({ revision: int64(1) });
export const hashKvResponse = message({
  header: embedded(1, responseHeader),
  hash: uint32(2),
  compactRevision: int64(3),
  hashRevision: int64(4),
});
export type HashKvResponse = Decoded<typeof hashKvResponse>;

export const moveLeaderRequest = message({ targetId: uint64(1) });

export const downgradeRequest = message({ action: choice(1, ['validate', 'enable', 'cancel']), version: string(2) });
export const downgradeResponse = message({ header: embedded(1, responseHeader), version: string(2) });
