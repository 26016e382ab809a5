// SPDX-License-Identifier: Apache-2.0
import type { Change, MemberRecord } from './data-directory.ts';
import type { Id } from './ids.ts';

/** etcd trusts a connection after this long. */
const healthInterval = 5_000;

/** The member that is asked, as its own check sees the cluster. */
export interface ReconfigScene {
  readonly own: Id;
  readonly voters: readonly MemberRecord[];
  readonly members: ReadonlyMap<Id, MemberRecord>;
  /** Since when a connection to a peer stands; undefined if none does. */
  readonly activeSince: (id: Id) => number | undefined;
  readonly now: number;
  /** From 3.5.30, 3.6.11 and 3.7.0 on a quorum of the grown cluster is enough for an addition. */
  readonly needsQuorumOnly: boolean;
}

/** etcd's strict reconfiguration check, in the order and in the words of the server. */
export function reconfigRefusal(scene: ReconfigScene, change: Change): string | undefined {
  switch (change.kind) {
    case 'add':
      return addRefusal(scene, change.member.isLearner);
    case 'remove':
      return removeRefusal(scene, change.id);
    case 'promote': {
      const started = scene.voters.filter(({ name }) => name !== '').length + 1;
      return started < quorum(scene.voters.length + 1) ? notEnough : undefined;
    }
    case 'update':
      return undefined;
  }
}

const notEnough = 'etcdserver: re-configuration failed due to not enough started members';
const unhealthy = 'etcdserver: unhealthy cluster';

function addRefusal(scene: ReconfigScene, isLearner: boolean): string | undefined {
  const { voters } = scene;
  const started = voters.filter(({ name }) => name !== '').length;
  const growsFromOne = started === 1 && voters.length === 1;
  if (!isLearner && !growsFromOne && started < quorum(voters.length + 1)) return notEnough;
  const connected = connectedLongEnough(scene);
  // A single voter is connected to itself.
  const needed = scene.needsQuorumOnly && voters.length > 1 ? quorum(voters.length + 1) : voters.length;
  return connected < needed ? unhealthy : undefined;
}

function removeRefusal(scene: ReconfigScene, id: Id): string | undefined {
  const { voters, members, own } = scene;
  if (members.get(id)?.isLearner) return undefined;
  const others = voters.filter((voter) => voter.id !== id);
  const started = others.filter(({ name }) => name !== '').length;
  if (others.length === 0 || started < quorum(others.length)) return notEnough;
  if (id !== own && scene.activeSince(id) === undefined) return undefined;
  return connectedLongEnough(scene) - 1 < quorum(voters.length - 1) ? unhealthy : undefined;
}

function connectedLongEnough({ voters, own, activeSince, now }: ReconfigScene): number {
  return voters.filter(({ id }) => {
    const since = id === own ? 0 : activeSince(id);
    return id === own || (since !== undefined && since < now - healthInterval);
  }).length;
}

function quorum(size: number): number {
  return Math.floor(size / 2) + 1;
}
