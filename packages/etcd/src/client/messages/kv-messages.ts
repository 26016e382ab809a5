// SPDX-License-Identifier: Apache-2.0
import { bool, bytes, choice, int64, repeated, uint64 } from '../wire/field.ts';
import { type Decoded, type Encodable, embedded, message, optional } from '../wire/message.ts';

/** The header of every answer: the cluster, the member, and the revision of the store. */
export const responseHeader = message({
  clusterId: uint64(1),
  memberId: uint64(2),
  revision: int64(3),
  raftTerm: uint64(4),
});
export type ResponseHeader = Decoded<typeof responseHeader>;

export const keyValue = message({
  key: bytes(1),
  createRevision: int64(2),
  modRevision: int64(3),
  version: int64(4),
  value: bytes(5),
  lease: int64(6),
});
export type KeyValue = Decoded<typeof keyValue>;

export const rangeRequest = message({
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: int64(3),
  revision: int64(4),
  sortOrder: choice(5, ['none', 'ascend', 'descend']),
  sortTarget: choice(6, ['key', 'version', 'create', 'mod', 'value']),
  serializable: bool(7),
  keysOnly: bool(8),
  countOnly: bool(9),
  minModRevision: int64(10),
  maxModRevision: int64(11),
});
export type RangeRequest = Encodable<typeof rangeRequest>;

export const rangeResponse = message({
  header: embedded(1, responseHeader),
  kvs: repeated(embedded(2, keyValue)),
  more: bool(3),
  count: int64(4),
});
export type RangeResponse = Decoded<typeof rangeResponse>;

export const putRequest = message({
  key: bytes(1),
  value: bytes(2),
  lease: int64(3),
  prevKv: bool(4),
  ignoreValue: bool(5),
  ignoreLease: bool(6),
});
export type PutRequest = Encodable<typeof putRequest>;

export const putResponse = message({ header: embedded(1, responseHeader), prevKv: optional(2, keyValue) });
export type PutResponse = Decoded<typeof putResponse>;

export const deleteRangeRequest = message({ key: bytes(1), rangeEnd: bytes(2), prevKv: bool(3) });
export type DeleteRangeRequest = Encodable<typeof deleteRangeRequest>;

export const deleteRangeResponse = message({
  header: embedded(1, responseHeader),
  deleted: int64(2),
  prevKvs: repeated(embedded(3, keyValue)),
});
export type DeleteRangeResponse = Decoded<typeof deleteRangeResponse>;

/** One operation of a transaction: exactly one of the fields. */
const requestOp = message({
  range: optional(1, rangeRequest),
  put: optional(2, putRequest),
  deleteRange: optional(3, deleteRangeRequest),
});
export type RequestOp = Encodable<typeof requestOp>;

const responseOp = message({
  range: optional(1, rangeResponse),
  put: optional(2, putResponse),
  deleteRange: optional(3, deleteRangeResponse),
});

/** A condition: `target` says which of the last five fields is compared. */
const compare = message({
  result: choice(1, ['equal', 'greater', 'less', 'notEqual']),
  target: choice(2, ['version', 'create', 'mod', 'value', 'lease']),
  key: bytes(3),
  version: int64(4),
  createRevision: int64(5),
  modRevision: int64(6),
  value: bytes(7),
  lease: int64(8),
  rangeEnd: bytes(64),
});
export type Compare = Encodable<typeof compare>;

export const txnRequest = message({
  compare: repeated(embedded(1, compare)),
  success: repeated(embedded(2, requestOp)),
  failure: repeated(embedded(3, requestOp)),
});
export type TxnRequest = Encodable<typeof txnRequest>;

export const txnResponse = message({
  header: embedded(1, responseHeader),
  succeeded: bool(2),
  responses: repeated(embedded(3, responseOp)),
});
export type TxnResponse = Decoded<typeof txnResponse>;

export const compactionRequest = message({ revision: int64(1), physical: bool(2) });
export type CompactionRequest = Encodable<typeof compactionRequest>;

/** Requests without content. */
export const emptyRequest = message({});

/** Answers that contain only a header. */
export const headerResponse = message({ header: embedded(1, responseHeader) });
export type HeaderResponse = Decoded<typeof headerResponse>;
