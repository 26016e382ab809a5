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

/** What makes a whole cluster refuse work until someone sees to it. */
export type AlarmKind = 'nospace' | 'corrupt';

/** An alarm that a member has raised. */
export interface Alarm {
  readonly memberId: bigint;
  readonly alarm: AlarmKind | 'unrecognised';
}

/** Health, upkeep and snapshots of one member; alarms, leadership and downgrade concern the whole cluster. */
export class Maintenance {
  readonly #invoker: Invoker;

  constructor(invoker: Invoker) {
    this.#invoker = invoker;
  }

  /** How the member is doing. Also answered by learners and without quorum. */
  async status(options?: RequestOptions): Promise<MemberStatus> {
    return readStatus(await this.#invoker.call(statusMethod, {}, options));
  }

  /** The alarms of all members. */
  async alarms(options?: RequestOptions): Promise<readonly Alarm[]> {
    const read = { ...alarmMethod, mutating: false };
    return raised(await this.#invoker.call(read, { action: 'get' }, options));
  }

  /** Raises an alarm in a member's name. */
  async raiseAlarm(memberId: bigint, alarm: AlarmKind, options?: RequestOptions): Promise<readonly Alarm[]> {
    return raised(await this.#invoker.call(alarmMethod, { action: 'activate', memberId, alarm }, options));
  }

  /** Takes an alarm back. The answer holds what was taken back. */
  async disarmAlarm(memberId: bigint, alarm: AlarmKind, options?: RequestOptions): Promise<readonly Alarm[]> {
    return raised(await this.#invoker.call(alarmMethod, { action: 'deactivate', memberId, alarm }, options));
  }

  /** Gives freed space back to the file system. The member answers nobody meanwhile: allow a minute per gigabyte. */
  defragment(options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(defragmentMethod, {}, options);
  }

  /** A hash over the whole database file. Blocks the member for its length: for tests. */
  hash(options?: RequestOptions): Promise<HashResponse> {
    return this.#invoker.call(hashMethod, {}, options);
  }

  /** A hash over the keys up to a revision (0: the present one). Equal on all members whose data is equal. */
  hashKv(revision: bigint, options?: RequestOptions): Promise<HashKvResponse> {
    return this.#invoker.call(hashKvMethod, { revision }, options);
  }

  /** Hands leadership to another voter. Only the present leader takes it (`NotLeader` otherwise). */
  moveLeader(targetId: bigint, options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(moveLeaderMethod, { targetId }, options);
  }

  /** Asks whether the cluster could go down to `version`. Resolves with the present cluster version, else rejects. */
  async downgradeValidate(version: string, options?: RequestOptions): Promise<string> {
    const read = { ...downgradeMethod, mutating: false };
    return (await this.#invoker.call(read, { action: 'validate', version }, options)).version;
  }

  /** Starts a downgrade: the cluster speaks `version` from now on, and members may be replaced one by one. */
  async downgradeEnable(version: string, options?: RequestOptions): Promise<string> {
    return (await this.#invoker.call(downgradeMethod, { action: 'enable', version }, options)).version;
  }

  /** Calls a downgrade off. Where there is none, 3.5 says `NoDowngradeInProgress`; newer versions take it as done. */
  async downgradeCancel(options?: RequestOptions): Promise<string> {
    return (await this.#invoker.call(downgradeMethod, { action: 'cancel' }, options)).version;
  }

  /**
   * The member's database as it is now, ending with the SHA-256 of all before: what `etcdctl snapshot save` writes. Pieces
   * break anywhere and are views into network buffers: copy what is to be kept. Reading slowly slows the member's sending;
   * leaving the loop ends it. An iteration that ends without an error is complete by the member's own count; its hash is
   * checked by `verifySnapshot`.
   */
  snapshot(options?: SnapshotOptions): AsyncIterable<Uint8Array> {
    return snapshotStream(this.#invoker, options);
  }
}

function raised(response: ReturnType<typeof alarmResponse.decode>): readonly Alarm[] {
  return response.alarms.flatMap(({ memberId, alarm }) => (alarm === 'none' ? [] : [{ memberId, alarm }]));
}
