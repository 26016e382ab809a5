// SPDX-License-Identifier: Apache-2.0
import { messages } from '@operator-parts/etcd/testing';
import { corrupt, noSpace } from './applied-state.ts';
import type { Change, MemberRecord } from './data-directory.ts';
import { dataHash } from './data-hash.ts';
import type { Ether } from './ether.ts';
import { type Id, memberId } from './ids.ts';
import type { Member } from './member.ts';
import { canRead, leaderOf, transfer } from './raft.ts';
import { reconfigRefusal } from './reconfig.ts';
import { snapshotOf } from './snapshot.ts';
import { downgradeRefusal, minorOf, storageVersionOf } from './versions.ts';

/** What a call is answered with. */
export type Reply =
  | { readonly message: Uint8Array }
  | { readonly messages: readonly Uint8Array[] }
  | { readonly status: number; readonly refusal: string };

/** A call that has not been answered yet; `cancel` when nobody waits for it any more. */
export interface PendingCall {
  cancel(): void;
}

const changes = new Set([
  'Cluster/MemberAdd',
  'Cluster/MemberRemove',
  'Cluster/MemberPromote',
  'Maintenance/MoveLeader',
  'Maintenance/Alarm',
]);
const failedPrecondition = 9;
const unavailable = 14;
const unimplemented = 12;
const resourceExhausted = 8;
const outOfRange = 11;
const dataLoss = 15;

/** How often a read that found no leader looks again. */
const readRetry = 250;

/** Everything a call needs. */
export interface CallScene {
  readonly ether: Ether;
  readonly member: Member;
  /** Wall-clock time of the member's node. */
  readonly wallTime: () => number;
  readonly schedule: (milliseconds: number, then: () => void) => void;
  readonly note: (line: string) => void;
  /** Told of each call that would change something, before it is looked at. */
  readonly onCall: (member: Member, method: string, request: Uint8Array) => void;
}

/** Answers one call of etcd's API, as far as the cluster controller makes it. */
export function answerCall(
  scene: CallScene,
  method: string,
  request: Uint8Array,
  reply: (reply: Reply) => void,
): PendingCall {
  const { member } = scene;
  const isForLearners = method === 'Maintenance/Status';
  if (!isForLearners && member.state.removed.has(member.id)) {
    reply({ status: unavailable, refusal: 'raft: stopped' });
    return nothing;
  }
  if (!isForLearners && !member.isVoter) {
    reply({ status: unavailable, refusal: 'etcdserver: rpc not supported for learner' });
    return nothing;
  }
  if (changes.has(method)) scene.onCall(member, method, request);
  return method.startsWith('Cluster/')
    ? answerMembership(scene, method, request, reply)
    : answerOther(scene, method, request, reply);
}

function answerMembership(
  scene: CallScene,
  method: string,
  request: Uint8Array,
  reply: (reply: Reply) => void,
): PendingCall {
  const { member } = scene;
  switch (method) {
    case 'Cluster/MemberList': {
      const { linearizable } = messages.memberListRequest.decode(request);
      if (linearizable) return whenReadable(scene, () => reply({ message: memberList(member) }));
      reply({ message: memberList(member) });
      return nothing;
    }
    case 'Cluster/MemberAdd':
      return addMember(scene, request, reply);
    case 'Cluster/MemberRemove':
      return change(scene, { kind: 'remove', id: idIn(request) }, reply, () => memberList(member));
    case 'Cluster/MemberPromote':
      return promote(scene, idIn(request), reply);
    case 'Cluster/MemberUpdate': {
      const { id, peerUrls } = messages.memberUpdateRequest.decode(request);
      return change(scene, { kind: 'update', id: id.toString(16), peerUrls }, reply, () => memberList(member));
    }
    default:
      return unknown(method, reply);
  }
}

function answerOther(
  scene: CallScene,
  method: string,
  request: Uint8Array,
  reply: (reply: Reply) => void,
): PendingCall {
  const { member } = scene;
  const lease = (isGrant: boolean) => (name: string) => ({ kind: 'lease', isGrant, request: name }) as const;
  switch (method) {
    case 'Maintenance/Status':
      reply({ message: status(scene) });
      return nothing;
    case 'Maintenance/Snapshot':
      scene.onCall(member, method, request);
      reply({ messages: snapshotMessages(member) });
      return nothing;
    case 'KV/Range':
      // Asked only whether it can be read.
      return whenReadable(scene, () => reply({ message: messages.rangeResponse.encode({ header: header(member) }) }));
    case 'Auth/AuthStatus':
      reply({ message: messages.authStatusResponse.encode({ header: header(member) }) });
      return nothing;
    case 'Lease/LeaseGrant':
      return write(scene, lease(true), reply, () =>
        messages.leaseGrantResponse.encode({ header: header(member), id: BigInt(member.lastIndex), ttl: 60n }),
      );
    case 'Lease/LeaseRevoke':
      return write(scene, lease(false), reply, () => messages.headerResponse.encode({ header: header(member) }));
    case 'Maintenance/Alarm':
      return alarm(scene, request, reply);
    case 'Maintenance/HashKV':
      return hashKv(member, Number(messages.hashKvRequest.decode(request).revision), reply);
    case 'Maintenance/Downgrade':
      return downgrade(scene, messages.downgradeRequest.decode(request), reply);
    case 'Maintenance/MoveLeader':
      return moveLeader(scene, messages.moveLeaderRequest.decode(request).targetId.toString(16), reply);
    default:
      return unknown(method, reply);
  }
}

/** etcd sends pieces, and says with each how much is left. */
const pieceBytes = 32 * 1024;

function snapshotMessages(member: Member): readonly Uint8Array[] {
  const bytes = snapshotOf(member);
  const sent: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += pieceBytes) {
    const blob = bytes.subarray(from, from + pieceBytes);
    const remainingBytes = BigInt(bytes.byteLength - from - blob.byteLength);
    sent.push(messages.snapshotResponse.encode({ header: header(member), remainingBytes, blob }));
  }
  return sent;
}

function unknown(method: string, reply: (reply: Reply) => void): PendingCall {
  reply({ status: unimplemented, refusal: `unknown method ${method}` });
  return nothing;
}

function addMember(scene: CallScene, request: Uint8Array, reply: (reply: Reply) => void): PendingCall {
  const { member } = scene;
  const { peerUrls, isLearner } = messages.memberAddRequest.decode(request);
  const id = memberId(peerUrls, { addedAt: scene.wallTime() });
  const added: MemberRecord = { id, name: '', peerUrls, clientUrls: [], isLearner };
  return change(scene, { kind: 'add', member: added }, reply, () =>
    messages.memberAddResponse.encode({
      header: header(member),
      member: record(added),
      members: [...member.state.members.values()].map(record),
    }),
  );
}

const nothing: PendingCall = { cancel: () => undefined };

function header({ directory, state }: Member) {
  return {
    clusterId: BigInt(`0x${directory.clusterId}`),
    memberId: BigInt(`0x${directory.memberId}`),
    revision: BigInt(state.revision),
    raftTerm: BigInt(directory.term),
  };
}

function record(member: MemberRecord) {
  return {
    ...member,
    id: BigInt(`0x${member.id}`),
    peerUrls: [...member.peerUrls],
    clientUrls: [...member.clientUrls],
  };
}

function status({ member }: CallScene): Uint8Array {
  const { version } = member.settings;
  const { downgradeTarget } = member.state;
  return messages.statusResponse.encode({
    header: header(member),
    version,
    dbSize: 20_480n + BigInt(member.directory.fileBytes),
    dbSizeInUse: 16_384n + BigInt(member.state.bytesInUse),
    leader: BigInt(`0x${member.leaderId ?? '0'}`),
    raftIndex: BigInt(member.directory.commit),
    raftTerm: BigInt(member.directory.term),
    raftAppliedIndex: BigInt(member.applied),
    errors: [
      ...(member.leaderId === undefined ? ['etcdserver: no leader'] : []),
      ...[...member.state.alarms].map(
        (alarm) => `memberID:${BigInt(`0x${alarm.split(' ')[1] ?? '0'}`)} alarm:${alarm.split(' ')[0]} `,
      ),
    ],
    isLearner: !member.isVoter,
    storageVersion: storageVersionOf(member),
    dbSizeQuota: 2_147_483_648n,
    ...(minorOf(version) >= 6 && downgradeTarget !== undefined
      ? { downgradeInfo: { enabled: true, targetVersion: `3.${downgradeTarget}.0` } }
      : {}),
  });
}

function memberList(member: Member): Uint8Array {
  return messages.membersResponse.encode({
    header: header(member),
    members: [...member.state.members.values()].map(record),
  });
}

/** A linearizable read: not before the leader has confirmed that it leads, and this member has applied as much as it had. */
function whenReadable(scene: CallScene, answer: () => void): PendingCall {
  const { member, ether } = scene;
  let isWanted = true;
  const attempt = () => {
    if (!isWanted || member.exit) return;
    const leader = leaderOf(member, ether.wire);
    if (leader && canRead(leader, ether.wire) && member.applied >= leader.directory.commit) answer();
    else scene.schedule(readRetry, attempt);
  };
  attempt();
  return {
    cancel: () => {
      isWanted = false;
    },
  };
}

function change(
  scene: CallScene,
  wanted: Change,
  reply: (reply: Reply) => void,
  message: () => Uint8Array,
): PendingCall {
  const { member, ether } = scene;
  const { state, settings, activeSince, id: own } = member;
  const refusal = reconfigRefusal(
    {
      own,
      voters: state.voters(),
      members: state.members,
      activeSince: (id) => activeSince.get(id),
      now: ether.wire.now(),
      needsQuorumOnly: needsQuorumOnly(settings.version),
    },
    wanted,
  );
  if (refusal !== undefined) {
    scene.note(`etcd ${settings.name} refuses ${wanted.kind}: ${refusal}`);
    reply({ status: failedPrecondition, refusal });
    return nothing;
  }
  return write(scene, (request) => ({ kind: 'change', change: wanted, request }), reply, message);
}

function write(
  { ether, member }: CallScene,
  command: Parameters<Ether['submit']>[1],
  reply: (reply: Reply) => void,
  message: () => Uint8Array,
): PendingCall {
  const cancel = ether.submit(member, command, (refusal) => {
    if (refusal === undefined) reply({ message: message() });
    else reply({ status: statusOf(refusal), refusal });
  });
  return { cancel };
}

function statusOf(refusal: string): number {
  if (refusal === noSpace) return resourceExhausted;
  if (refusal === corrupt) return dataLoss;
  return refusal.includes('timed out') ? unavailable : failedPrecondition;
}

function alarm(scene: CallScene, request: Uint8Array, reply: (reply: Reply) => void): PendingCall {
  const { member } = scene;
  const { action, memberId: id, alarm: kind } = messages.alarmRequest.decode(request);
  const raised = [...member.state.alarms].flatMap((text) => {
    const [name, of = '0'] = text.split(' ');
    const isMeant = action === 'get' || (name === kind.toUpperCase() && of === id.toString(16));
    return isMeant
      ? { memberId: BigInt(`0x${of}`), alarm: name === 'NOSPACE' ? ('nospace' as const) : ('corrupt' as const) }
      : [];
  });
  const answer = () => messages.alarmResponse.encode({ header: header(member), alarms: raised });
  if (action === 'get') {
    reply({ message: answer() });
    return nothing;
  }
  const name = kind === 'nospace' ? 'NOSPACE' : 'CORRUPT';
  const isRaised = action === 'activate';
  return write(
    scene,
    (serial) => ({ kind: 'alarm', id: id.toString(16), alarm: name, isRaised, request: serial }),
    reply,
    answer,
  );
}

function hashKv(member: Member, asked: number, reply: (reply: Reply) => void): PendingCall {
  const { revision, compactRevision } = member.state;
  const at = asked === 0 ? revision : asked;
  const words = 'etcdserver: mvcc: required revision';
  if (at > revision) reply({ status: outOfRange, refusal: `${words} is a future revision` });
  else if (at < compactRevision) reply({ status: outOfRange, refusal: `${words} has been compacted` });
  else {
    const hash = dataHash(member, at);
    reply({
      message: messages.hashKvResponse.encode({
        header: header(member),
        hash,
        compactRevision: BigInt(compactRevision),
        hashRevision: BigInt(at),
      }),
    });
  }
  return nothing;
}

/** For so long etcd waits for a leader to pass a promotion on to, in milliseconds. */
const leaderPatience = 7_000;

/** A member that knows no leader waits for one before it gives up. */
function promote(scene: CallScene, id: Id, reply: (reply: Reply) => void): PendingCall {
  const { member, ether } = scene;
  const until = ether.wire.now() + leaderPatience;
  let current: PendingCall = nothing;
  let isWanted = true;
  const attempt = () => {
    if (!isWanted || member.exit) return;
    const leader = leaderOf(member, ether.wire);
    if (leader) current = promoteBy(leader, scene, id, reply);
    else if (ether.wire.now() < until) scene.schedule(readRetry, attempt);
    else reply({ status: unavailable, refusal: 'etcdserver: no leader' });
  };
  attempt();
  return {
    cancel: () => {
      isWanted = false;
      current.cancel();
    },
  };
}

/** The leader decides: the learner's log must reach nine tenths of its own. */
function promoteBy(leader: Member, scene: CallScene, id: Id, reply: (reply: Reply) => void): PendingCall {
  const target = leader.state.members.get(id);
  const isReady = (leader.match.get(id) ?? 0) >= 0.9 * leader.lastIndex;
  const refusal = !target
    ? 'etcdserver: member not found'
    : !target.isLearner
      ? 'etcdserver: can only promote a learner member'
      : isReady
        ? undefined
        : 'etcdserver: can only promote a learner member which is in sync with leader';
  if (refusal === undefined)
    return change({ ...scene, member: leader }, { kind: 'promote', id }, reply, () => memberList(leader));
  reply({ status: failedPrecondition, refusal });
  return nothing;
}

function moveLeader({ member, ether }: CallScene, to: Id, reply: (reply: Reply) => void): PendingCall {
  const target = member.state.members.get(to);
  const refusal =
    member.role !== 'leader'
      ? 'etcdserver: not leader'
      : !target || target.isLearner || !transfer(member, to, ether.wire)
        ? 'etcdserver: bad leader transferee'
        : undefined;
  if (refusal === undefined) reply({ message: messages.headerResponse.encode({ header: header(member) }) });
  else reply({ status: failedPrecondition, refusal });
  return nothing;
}

/** 3.6 and newer say yes to calling off what is not there. */
function downgrade(
  scene: CallScene,
  { action, version }: { readonly action: string; readonly version: string },
  reply: (reply: Reply) => void,
): PendingCall {
  const { member } = scene;
  const answer = () =>
    messages.downgradeResponse.encode({ header: header(member), version: `3.${member.state.clusterVersion ?? 0}.0` });
  return whenReadable(scene, () => {
    const target = action === 'cancel' ? undefined : minorOf(version);
    const refusal = target === undefined ? undefined : downgradeRefusal(member.state, target);
    if (refusal !== undefined) reply({ status: failedPrecondition, refusal });
    else if (action === 'validate') reply({ message: answer() });
    else write(scene, (request) => ({ kind: 'downgrade', target, request }), reply, answer);
  });
}

function idIn(request: Uint8Array): Id {
  return messages.memberIdRequest.decode(request).id.toString(16);
}

function needsQuorumOnly(version: string): boolean {
  const [, minor = 0, patch = 0] = version.split('.').map(Number);
  return minor > 6 || (minor === 6 && patch >= 11) || (minor === 5 && patch >= 30);
}
