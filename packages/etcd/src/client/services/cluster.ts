// SPDX-License-Identifier: Apache-2.0
import { knowsLearners } from '../../rules/membership/learners.ts';
import { type EtcdVersion, formatVersion, isAtLeast, versionOf } from '../../rules/versions/version.ts';
import { EtcdError } from '../etcd-error.ts';
import type { Invoker, RequestOptions } from '../invoker.ts';
import {
  type MemberAddResponse,
  type MembersResponse,
  memberAddRequest,
  memberAddResponse,
  memberIdRequest,
  memberListRequest,
  membersResponse,
  memberUpdateRequest,
} from '../messages/cluster-messages.ts';
import type { KeyValueStore } from './kv.ts';

const addMethod = {
  name: 'Cluster/MemberAdd',
  request: memberAddRequest,
  response: memberAddResponse,
  mutating: true,
};
const removeMethod = {
  name: 'Cluster/MemberRemove',
  request: memberIdRequest,
  response: membersResponse,
  mutating: true,
};
const updateMethod = {
  name: 'Cluster/MemberUpdate',
  request: memberUpdateRequest,
  response: membersResponse,
  mutating: true,
};
const listMethod = {
  name: 'Cluster/MemberList',
  request: memberListRequest,
  response: membersResponse,
  mutating: false,
};
const promoteMethod = {
  name: 'Cluster/MemberPromote',
  request: memberIdRequest,
  response: membersResponse,
  mutating: true,
  since: '3.4',
};

/**
 * The first version with linearizable member lists. Older members answer from their own state, which may be outdated.
 */
const firstLinearizableList = versionOf('3.5.0');

/**
 * Membership. Every change is proposed once and never retried here. Learners refuse all of these calls
 * (`NotSupportedForLearner`): ask a voter.
 */
export class ClusterMembership {
  readonly #invoker: Invoker;
  readonly #kv: KeyValueStore;
  readonly #version: (options: RequestOptions) => Promise<EtcdVersion>;

  /** @param version the version of the process behind the connection. */
  constructor(invoker: Invoker, kv: KeyValueStore, version: (options: RequestOptions) => Promise<EtcdVersion>) {
    this.#invoker = invoker;
    this.#kv = kv;
    this.#version = version;
  }

  /**
   * Adds a member, as a voter or as a learner. The answer contains the member list with which the new member must
   * start.
   *
   * Versions without learners would ignore the flag and add a voter; that is why the version is requested first. A
   * member ID is computed from the URLs and the time of the addition in seconds. So an existing URL is refused with
   * `MemberExists` within the same second and with `PeerUrlExists` afterwards (both mean that it has been added). A URL
   * that is removed and added again within one second is refused with `MemberNotFound`. Of two changes proposed at the
   * same moment, raft drops one without an error: that call ends with `Timeout` and an unknown outcome.
   */
  async memberAdd(
    member: { readonly peerUrls: readonly string[]; readonly isLearner: boolean },
    options: RequestOptions = {},
  ): Promise<MemberAddResponse> {
    if (member.isLearner) await this.#requireLearners(options);
    return this.#invoker.call(addMethod, member, options);
  }

  memberRemove(id: bigint, options?: RequestOptions): Promise<MembersResponse> {
    return this.#invoker.call(removeMethod, { id }, options);
  }

  /** Changes the peer URLs of a member. Never use it for a learner: several versions then turn it into a voter. */
  memberUpdate(id: bigint, peerUrls: readonly string[], options?: RequestOptions): Promise<MembersResponse> {
    return this.#invoker.call(updateMethod, { id, peerUrls }, options);
  }

  /** Promotes a learner that has caught up. Any voter forwards the call to the leader. */
  memberPromote(id: bigint, options?: RequestOptions): Promise<MembersResponse> {
    return this.#invoker.call(promoteMethod, { id }, options);
  }

  /**
   * The members. Linearizable by default: there is no answer without quorum, and no answer that is older than the call.
   * etcd 3.4 and older do not support this; there, a linearizable read of a key before the call has the same effect.
   * With `linearizable: false`, the member answers from its own state, which may be outdated.
   */
  async memberList(options: RequestOptions & { readonly linearizable?: boolean } = {}): Promise<MembersResponse> {
    const linearizable = options.linearizable ?? true;
    if (linearizable && !isAtLeast(await this.#version(options), firstLinearizableList)) {
      await this.#kv.range({ key: Uint8Array.of(0), countOnly: true }, options);
    }
    return this.#invoker.call(listMethod, { linearizable }, options);
  }

  async #requireLearners(options: RequestOptions): Promise<void> {
    const version = await this.#version(options);
    if (knowsLearners(version)) return;
    const message = `etcd ${formatVersion(version)} does not support learners and would add a voter; learners need etcd 3.4 or newer`;
    throw new EtcdError('Unimplemented', message, { call: this.#invoker.kindOf(addMethod) });
  }
}
