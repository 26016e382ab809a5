// SPDX-License-Identifier: Apache-2.0
import type { Invoker, RequestOptions } from '../invoker.ts';
import { emptyRequest, type HeaderResponse, headerResponse } from '../messages/kv-messages.ts';
import {
  alarmRequest,
  alarmResponse,
  downgradeRequest,
  downgradeResponse,
  type HashKvResponse,
  type HashResponse,
  hashKvRequest,
  hashKvResponse,
  hashResponse,
  moveLeaderRequest,
  statusResponse,
} from '../messages/maintenance-messages.ts';
import { type SnapshotOptions, snapshotStream } from '../snapshot/snapshot-stream.ts';
import { type MemberStatus, readStatus } from './member-status.ts';

const alarmMethod = { name: 'Maintenance/Alarm', request: alarmRequest, response: alarmResponse, mutating: true };
const statusMethod = { name: 'Maintenance/Status', request: emptyRequest, response: statusResponse, mutating: false };
const defragmentMethod = {
  name: 'Maintenance/Defragment',
  request: emptyRequest,
  response: headerResponse,
  mutating: true,
};
const hashMethod = { name: 'Maintenance/Hash', request: emptyRequest, response: hashResponse, mutating: false };
const hashKvMethod = {
  name: 'Maintenance/HashKV',
  request: hashKvRequest,
  response: hashKvResponse,
  mutating: false,
  since: '3.3',
};
const moveLeaderMethod = {
  name: 'Maintenance/MoveLeader',
  request: moveLeaderRequest,
  response: headerResponse,
  mutating: true,
  since: '3.3',
};
const downgradeMethod = {
  name: 'Maintenance/Downgrade',
  request: downgradeRequest,
  response: downgradeResponse,
  mutating: true,
  since: '3.5',
};

/** Alarm types. */
export type AlarmKind = 'nospace' | 'corrupt';

/** An alarm of a member. */
export interface Alarm {
  readonly memberId: bigint;
  readonly alarm: AlarmKind | 'unrecognised';
}

/** Health, maintenance and snapshots of one member; alarms, leadership and downgrade concern the whole cluster. */
export class Maintenance {
  readonly #invoker: Invoker;

  constructor(invoker: Invoker) {
    this.#invoker = invoker;
  }

  /** The status of the member. Also answered by learners and without quorum (etcd fact 3). */
  async status(options?: RequestOptions): Promise<MemberStatus> {
    return readStatus(await this.#invoker.call(statusMethod, {}, options));
  }

  /** The alarms of all members. */
  async alarms(options?: RequestOptions): Promise<readonly Alarm[]> {
    const read = { ...alarmMethod, mutating: false };
    return raised(await this.#invoker.call(read, { action: 'get' }, options));
  }

  /** Raises an alarm for a member. */
  async raiseAlarm(memberId: bigint, alarm: AlarmKind, options?: RequestOptions): Promise<readonly Alarm[]> {
    return raised(await this.#invoker.call(alarmMethod, { action: 'activate', memberId, alarm }, options));
  }

  /** Disarms an alarm. The answer contains the disarmed alarms. */
  async disarmAlarm(memberId: bigint, alarm: AlarmKind, options?: RequestOptions): Promise<readonly Alarm[]> {
    return raised(await this.#invoker.call(alarmMethod, { action: 'deactivate', memberId, alarm }, options));
  }

  /** Defragments the database. The member does not answer meanwhile (etcd fact 5): allow a minute per gigabyte. */
  defragment(options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(defragmentMethod, {}, options);
  }

  /** A hash of the whole database file. Blocks the member meanwhile: for tests. */
  hash(options?: RequestOptions): Promise<HashResponse> {
    return this.#invoker.call(hashMethod, {}, options);
  }

  /** A hash of the keys up to a revision (0: the current revision). Equal on all members with the same data. */
  hashKv(revision: bigint, options?: RequestOptions): Promise<HashKvResponse> {
    return this.#invoker.call(hashKvMethod, { revision }, options);
  }

  /** Transfers leadership to another voter. Only the present leader accepts it (`NotLeader` otherwise). */
  moveLeader(targetId: bigint, options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(moveLeaderMethod, { targetId }, options);
  }

  /**
   * Checks whether the cluster can be downgraded to `version`. Resolves with the present cluster version, otherwise
   * rejects.
   */
  async downgradeValidate(version: string, options?: RequestOptions): Promise<string> {
    const read = { ...downgradeMethod, mutating: false };
    return (await this.#invoker.call(read, { action: 'validate', version }, options)).version;
  }

  /** Starts a downgrade: the cluster version becomes `version`, and members may be replaced one by one. */
  async downgradeEnable(version: string, options?: RequestOptions): Promise<string> {
    return (await this.#invoker.call(downgradeMethod, { action: 'enable', version }, options)).version;
  }

  /** Cancels a downgrade. If there is none, 3.5 answers `NoDowngradeInProgress`; newer versions succeed. */
  async downgradeCancel(options?: RequestOptions): Promise<string> {
    return (await this.#invoker.call(downgradeMethod, { action: 'cancel' }, options)).version;
  }

  /**
   * The member's current database, followed by the SHA-256 of all preceding bytes: what `etcdctl snapshot save` writes.
   * Chunks have any size and are views of network buffers: copy bytes to keep them. If the caller reads slowly, the
   * member sends slowly; leaving the loop ends the call. If the iteration ends without an error, all bytes have
   * arrived; `verifySnapshot` checks the hash.
   */
  snapshot(options?: SnapshotOptions): AsyncIterable<Uint8Array> {
    return snapshotStream(this.#invoker, options);
  }
}

function raised(response: ReturnType<typeof alarmResponse.decode>): readonly Alarm[] {
  return response.alarms.flatMap(({ memberId, alarm }) => (alarm === 'none' ? [] : [{ memberId, alarm }]));
}
