// SPDX-License-Identifier: Apache-2.0
import { frame } from '../client/grpc/frame.ts';
import { authStatusResponse } from '../client/messages/auth-messages.ts';
import {
  memberAddRequest,
  memberAddResponse,
  memberIdRequest,
  memberListRequest,
  membersResponse,
  memberUpdateRequest,
} from '../client/messages/cluster-messages.ts';
import { headerResponse, keyValue, rangeResponse, responseHeader } from '../client/messages/kv-messages.ts';
import { leaseGrantResponse } from '../client/messages/lease-messages.ts';
import {
  alarmRequest,
  alarmResponse,
  downgradeRequest,
  downgradeResponse,
  hashKvRequest,
  hashKvResponse,
  moveLeaderRequest,
  statusResponse,
} from '../client/messages/maintenance-messages.ts';
import { bytes, uint64 } from '../client/wire/field.ts';
import { embedded, message } from '../client/wire/message.ts';

/** One of the messages of a snapshot. Only fake members need its type: the client never assembles such a message. */
const snapshotResponse = message({ header: embedded(1, responseHeader), remainingBytes: uint64(2), blob: bytes(3) });

/** The messages of etcd's API and their frame, for fake members. */
export const messages = {
  authStatusResponse,
  alarmRequest,
  alarmResponse,
  downgradeRequest,
  downgradeResponse,
  frame,
  hashKvRequest,
  hashKvResponse,
  headerResponse,
  keyValue,
  leaseGrantResponse,
  memberAddRequest,
  memberAddResponse,
  memberIdRequest,
  memberListRequest,
  memberUpdateRequest,
  membersResponse,
  moveLeaderRequest,
  rangeResponse,
  snapshotResponse,
  statusResponse,
};
