// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import { type Command, sync } from './data-directory.ts';
import type { Id } from './ids.ts';
import type { Member } from './member.ts';

/** How long a follower waits for a leader at least, in milliseconds; a random part of the same length comes on top. */
export const electionTimeout = 1_000;
/** How long the server waits for an entry of its own before it says so. */
const requestTimeout = 7_000;

/** What raft needs to know of the world around a member. */
export interface Wire {
  readonly now: () => number;
  readonly random: Random;
  /** The process of a peer, if messages go both ways between it and `from`. */
  readonly peer: (from: Member, id: Id) => Member | undefined;
  readonly onLeader: (leader: Member) => void;
  readonly onCrash: (member: Member, message: string) => void;
}

/** One heartbeat of a member: leaders replicate and check their quorum, followers ask for votes when nobody leads. */
export function beat(member: Member, wire: Wire): void {
  noteConnections(member, wire);
  if (member.directory.syncedIndex < member.lastIndex) sync(member.directory);
  if (member.role === 'leader') {
    propagate(member, wire);
    if (wire.now() - member.quorumAt > electionTimeout) stepDown(member, wire, member.directory.term);
  } else if (wire.now() - member.heardAt > electionTimeout) {
    member.leaderId = undefined;
    if (wire.now() >= member.campaignAt) campaign(member, wire);
  }
  proposeWaiting(member, wire);
}

/** Puts a command into the leader's log, through whichever member was asked. False if there is no leader to be reached. */
export function propose(member: Member, command: Command, wire: Wire): boolean {
  const leader = leaderOf(member, wire);
  if (!leader) return false;
  // Of two changes under way raft drops the second without a word.
  const isDropped = command.kind === 'change' && leader.hasPendingChange();
  append(leader, isDropped ? { kind: 'noop' } : command);
  propagate(leader, wire);
  return true;
}

/** The leader that a member follows, if it can be reached and leads in the same term. */
export function leaderOf(member: Member, wire: Wire): Member | undefined {
  if (member.role === 'leader') return member;
  if (member.leaderId === undefined) return undefined;
  const leader = wire.peer(member, member.leaderId);
  return leader?.role === 'leader' ? leader : undefined;
}

/** True if the leader could confirm right now that it still leads. */
export function canRead(leader: Member, wire: Wire): boolean {
  const isCurrent = leader.directory.log[leader.directory.commit - 1]?.term === leader.directory.term;
  return isCurrent && reachableVoters(leader, wire).length >= leader.quorum();
}

/** Makes another voter the leader at once; false if it is not there. */
export function transfer(leader: Member, to: Id, wire: Wire): boolean {
  propagate(leader, wire);
  const target = wire.peer(leader, to);
  if (!target?.isVoter || target.lastIndex !== leader.lastIndex) return false;
  stepDown(leader, wire, leader.directory.term);
  for (const voter of reachableVoters(target, wire)) voter.heardAt = Number.NEGATIVE_INFINITY;
  return campaign(target, wire);
}

function stepDown(member: Member, wire: Wire, term: number): void {
  const { directory } = member;
  if (term > directory.term) Object.assign(directory, { term, votedFor: '' });
  member.role = 'follower';
  member.leaderId = undefined;
  member.heardAt = wire.now();
  delayCampaign(member, wire);
}

function delayCampaign(member: Member, wire: Wire): void {
  member.campaignAt = wire.now() + electionTimeout * (1 + wire.random.next());
}

/** First a question whether it would win (pre-vote), then the vote. True if it leads now. */
function campaign(member: Member, wire: Wire): boolean {
  delayCampaign(member, wire);
  if (!member.isVoter) return false;
  const voters = reachableVoters(member, wire);
  const isNewer = (other: Member) =>
    other.lastTerm > member.lastTerm || (other.lastTerm === member.lastTerm && other.lastIndex > member.lastIndex);
  const hasLeader = (other: Member) =>
    other.role === 'leader' ||
    (other !== member && other.leaderId !== undefined && wire.now() - other.heardAt < electionTimeout);
  const willing = voters.filter((voter) => voter === member || !(isNewer(voter) || hasLeader(voter)));
  if (willing.length < member.quorum()) return false;
  const term = Math.max(...willing.map(({ directory }) => directory.term)) + 1;
  for (const { directory } of willing) Object.assign(directory, { term, votedFor: member.id });
  member.role = 'leader';
  member.leaderId = member.id;
  member.quorumAt = wire.now();
  member.match.clear();
  wire.onLeader(member);
  append(member, { kind: 'noop' });
  propagate(member, wire);
  return true;
}

/** Its own disk takes a while: what power takes away before the next beat, or before it is committed, is lost. */
function append(leader: Member, command: Command): void {
  leader.directory.log.push({ term: leader.directory.term, command });
}

/** Sends what is missing to everybody who can be reached, commits what a quorum has, and lets everybody know. */
function propagate(leader: Member, wire: Wire): void {
  for (let round = 0; round < 2 && leader.role === 'leader' && !leader.exit; round++) {
    const heard = leader.peers().filter(({ id, isLearner }) => send(leader, id, wire) && !isLearner).length;
    if (leader.role !== 'leader') return;
    leader.match.set(leader.id, leader.lastIndex);
    if (heard + (leader.isVoter ? 1 : 0) >= leader.quorum()) leader.quorumAt = wire.now();
    commit(leader);
  }
  if (!leader.state.members.has(leader.id) && leader.state.members.size > 0)
    stepDown(leader, wire, leader.directory.term);
}

/** True if the peer has taken everything. */
function send(leader: Member, id: Id, wire: Wire): boolean {
  const peer = wire.peer(leader, id);
  if (!peer || peer.exit) return false;
  const { directory } = peer;
  if (directory.term > leader.directory.term) {
    stepDown(leader, wire, directory.term);
    return false;
  }
  const known = leader.match.get(id) ?? 0;
  if (known > peer.lastIndex) {
    wire.onCrash(
      peer,
      `tocommit(${known}) is out of range [lastIndex(${peer.lastIndex})]. Was the raft log corrupted, truncated, or lost?`,
    );
    return false;
  }
  if (directory.term < leader.directory.term) Object.assign(directory, { term: leader.directory.term, votedFor: '' });
  peer.role = 'follower';
  peer.leaderId = leader.id;
  peer.heardAt = wire.now();
  count(peer, leader.id);
  count(leader, id);
  const agreed = agreement(leader, peer);
  if (agreed < directory.commit) {
    wire.onCrash(peer, `conflict(${agreed + 1}) is smaller than or equal to the committed index(${directory.commit})`);
    return false;
  }
  if (agreed < Math.max(peer.lastIndex, leader.lastIndex))
    directory.log.splice(agreed, Number.POSITIVE_INFINITY, ...leader.directory.log.slice(agreed));
  // Nobody says that it has something before it is synced.
  if (directory.syncedIndex !== peer.lastIndex || agreed < leader.lastIndex) sync(directory);
  leader.match.set(id, peer.lastIndex);
  const isSentSnapshot = agreed < leader.firstIndex;
  // Whoever joins starts with the members that the others have told it, also where its own version would not have let them in.
  if (isSentSnapshot || agreed === 0) peer.judgedTo = leader.applied;
  directory.commit = Math.max(directory.commit, Math.min(leader.directory.commit, peer.lastIndex));
  peer.applyCommitted();
  // Entries that are not in the leader's memory any more come as a raft snapshot.
  if (!isSentSnapshot) return true;
  peer.saveSnapshot(peer.applied);
  directory.flippedRevision = leader.directory.flippedRevision;
  return true;
}

function count(member: Member, from: Id): void {
  member.receivedFrom.set(from, (member.receivedFrom.get(from) ?? 0) + 100);
}

/** Up to where two logs are the same. Logs that agree in an entry's term agree in all before it. */
function agreement(leader: Member, peer: Member): number {
  let index = Math.min(leader.lastIndex, peer.lastIndex);
  while (index > 0 && leader.directory.log[index - 1]?.term !== peer.directory.log[index - 1]?.term) index--;
  return index;
}

function commit(leader: Member): void {
  const { directory } = leader;
  const matches = leader.state
    .voters()
    .map(({ id }) => leader.match.get(id) ?? 0)
    .toSorted((a, b) => b - a);
  const reached = matches[leader.quorum() - 1] ?? 0;
  if (reached > directory.commit && directory.log[reached - 1]?.term === directory.term) {
    sync(directory);
    directory.commit = reached;
  }
  leader.applyCommitted();
}

/** Voters that it can reach, itself included. */
function reachableVoters(member: Member, wire: Wire): readonly Member[] {
  return member.state.voters().flatMap(({ id }) => (id === member.id ? member : (wire.peer(member, id) ?? [])));
}

function noteConnections(member: Member, wire: Wire): void {
  const peers = member.peers();
  for (const { id } of peers) {
    if (!wire.peer(member, id)) member.activeSince.delete(id);
    else if (!member.activeSince.has(id)) member.activeSince.set(id, wire.now());
  }
  for (const id of member.activeSince.keys()) if (!member.state.members.has(id)) member.activeSince.delete(id);
}

/** What came while nobody led is proposed when somebody does; what takes too long is answered so. */
function proposeWaiting(member: Member, wire: Wire): void {
  for (const [request, waiting] of [...member.waiting]) {
    if (!waiting.isProposed) waiting.isProposed = propose(member, waiting.command, wire);
    if (wire.now() - waiting.since < requestTimeout || !member.waiting.has(request)) continue;
    member.waiting.delete(request);
    waiting.done('etcdserver: request timed out');
  }
}
