// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import { noSpace } from './applied-state.ts';
import { type AskPeer, type BootValues, firstDirectory } from './boot.ts';
import type { Command, DataDirectory } from './data-directory.ts';
import { comparedByLeader } from './data-hash.ts';
import type { Id } from './ids.ts';
import { type Exit, Member, type MemberSettings } from './member.ts';
import { beat, propose, transfer, type Wire } from './raft.ts';
import { minorOf, versionRefusal, watchVersions } from './versions.ts';

export interface EtherOptions {
  readonly now: () => number;
  readonly random: Random;
  /** The process that listens at a peer URL, if `from` reaches it there and is reached back. */
  readonly route: (from: Member | undefined, peerUrl: string, seeker: string) => Member | undefined;
  /** Something worth a line in the timeline. */
  readonly note: (line: string) => void;
  readonly onLeader?: (leader: Member) => void;
  readonly onChange?: (member: Member) => void;
  readonly onFound?: (member: Member) => void;
}

/** `--quota-backend-bytes` as it is by default. */
export const quotaBytes = 2_147_483_648;

const stopped = 'etcdserver: server stopped';

/** A removed member ends by itself after this long. */
const removeDelay = 1_000;

/** All running etcd processes, and the messages between them: they arrive at once, or not at all where there is no way. */
export class Ether {
  readonly members = new Set<Member>();
  readonly wire: Wire;
  readonly #options: EtherOptions;
  readonly #leaving = new Map<Member, number>();
  #serial = 0;

  constructor(options: EtherOptions) {
    this.#options = options;
    this.wire = {
      now: options.now,
      random: options.random,
      peer: (from, id) => this.#peer(from, id),
      onLeader: (leader) => {
        options.note(`etcd ${leader.settings.name} leads in term ${leader.directory.term}`);
        options.onLeader?.(leader);
      },
      onCrash: (member, message) => this.end(member, { code: 2, message: `panic: ${message}` }),
    };
  }

  /** Starts a process on a directory, or on an empty disk. `seeker` says from where it looks for others. */
  start(
    directory: DataDirectory | undefined,
    settings: MemberSettings,
    boot: BootValues,
    seeker: string,
  ): Member | Exit {
    const ask: AskPeer = (url) => this.#options.route(undefined, url, seeker);
    const found = directory ?? firstDirectory(settings, boot, ask);
    if ('code' in found) return found;
    const member = new Member(found, settings, this.#options.now(), (changed, what) => this.#noteChange(changed, what));
    // Older ones run until a peer tells them.
    if (member.state.removed.has(member.id) && !/^3\.[0-5]\./.test(settings.version))
      return { code: 1, message: 'the member has been permanently removed from the cluster' };
    const refusal = versionRefusal(settings.version, member.state, found);
    if (refusal) return refusal;
    member.campaignAt = this.#options.now() + 1_000 * (1 + this.#options.random.next());
    this.members.add(member);
    const how = directory ? 'resumes' : boot.state === 'new' ? 'bootstraps' : 'joins';
    this.#options.note(`etcd ${settings.name} ${how} as ${member.id} of cluster ${found.clusterId}`);
    if (!directory && boot.state === 'new') this.#options.onFound?.(member);
    this.#publish(member);
    return member;
  }

  /** Ends a process: killed, or by itself. */
  end(member: Member, exit: Exit): void {
    if (member.exit) return;
    member.exit = exit;
    this.members.delete(member);
    this.#leaving.delete(member);
    for (const [, { done }] of member.waiting) done(stopped);
    member.waiting.clear();
    if (exit.message) this.#options.note(`etcd ${member.settings.name} ends (${exit.code}): ${exit.message}`);
  }

  /** SIGTERM: a leader hands over before it ends. */
  stop(member: Member): void {
    if (member.exit) return;
    if (member.role === 'leader') {
      const heirs = member.state.voters().filter(({ id }) => id !== member.id);
      heirs.some(({ id }) => transfer(member, id, this.wire));
    }
    this.end(member, { code: 0, message: '' });
  }

  /** A heartbeat of everybody, in the order in which they were started. */
  beat(): void {
    for (const member of [...this.members]) {
      if (!member.exit) beat(member, this.wire);
      if (!member.exit) this.#leaveIfRemoved(member);
      if (!member.exit) this.#watchVersions(member);
      if (!member.exit && member.comparedTo < member.state.compactRevision) this.#compareData(member);
    }
  }

  /** Sends a command into the log through a member; `done` is told when that member has applied it. Returns the way to forget it. */
  submit(
    member: Member,
    command: (request: string) => Command,
    done: (refusal: string | undefined) => void,
  ): () => void {
    const request = `${member.settings.name}-${++this.#serial}`;
    // Its directory may be another process's by now.
    if (member.exit) {
      done(stopped);
      return () => undefined;
    }
    if (this.#isOverQuota(member, command(request))) {
      this.#raise(member, member.id, 'NOSPACE');
      done(noSpace);
      return () => undefined;
    }
    const waiting = { command: command(request), since: this.#options.now(), isProposed: false, done };
    member.waiting.set(request, waiting);
    waiting.isProposed = propose(member, waiting.command, this.wire);
    return () => member.waiting.delete(request);
  }

  /** What counts is the size of the file. */
  #isOverQuota({ directory }: Member, command: Command): boolean {
    return command.kind === 'put' && directory.fileBytes + (command.bytes ?? 0) > quotaBytes;
  }

  #raise(member: Member, id: Id, alarm: 'NOSPACE' | 'CORRUPT'): void {
    if (member.state.alarms.has(`${alarm} ${id}`)) return;
    this.#options.note(`etcd ${member.settings.name} raises ${alarm} for ${id}`);
    this.submit(
      member,
      (request) => ({ kind: 'alarm', id, alarm, isRaised: true, request }),
      () => undefined,
    );
  }

  #compareData(member: Member): void {
    const peers = member.peers().map(({ id }) => this.#peer(member, id));
    for (const id of comparedByLeader(member, peers, this.#options.now())) this.#raise(member, id, 'CORRUPT');
  }

  #watchVersions(member: Member): void {
    const heard = () => {
      const found = member.peers().map(({ id }) => this.#peer(member, id));
      const minors = [member, ...found].flatMap((each) => (each ? minorOf(each.settings.version) : []));
      return minors.length === member.state.members.size ? minors : undefined;
    };
    watchVersions(member, this.#options.now(), heard, (command) => void this.submit(member, command, () => undefined));
  }

  #publish(member: Member): void {
    const { name, clientUrls, version } = member.settings;
    const isV2 = minorOf(version) < 6;
    this.submit(
      member,
      (request) => ({ kind: 'publish', id: member.id, name, clientUrls, isV2, request }),
      (refusal) => {
        if (refusal === undefined) member.isServing = true;
        else if (!member.exit) this.#publish(member);
      },
    );
  }

  #peer(from: Member, id: Id): Member | undefined {
    const [peerUrl] = from.state.members.get(id)?.peerUrls ?? [];
    const found = peerUrl === undefined ? undefined : this.#options.route(from, peerUrl, '');
    const isIt = found?.id === id && found.directory.clusterId === from.directory.clusterId;
    return isIt && !found.exit ? found : undefined;
  }

  #noteChange(member: Member, what: string): void {
    if (member.role === 'leader') this.#options.note(`etcd ${member.settings.name} applied: ${what}`);
    this.#options.onChange?.(member);
  }

  /** It learns of its removal from its own log, or from any peer that it asks. */
  #leaveIfRemoved(member: Member): void {
    const isTold = member.peers().some(({ id }) => this.#peer(member, id)?.state.removed.has(member.id));
    if (!isTold && !member.state.removed.has(member.id)) return;
    const since = this.#leaving.get(member) ?? this.#options.now();
    this.#leaving.set(member, since);
    if (this.#options.now() - since >= removeDelay)
      this.end(member, { code: 0, message: 'the member has been permanently removed from the cluster' });
  }
}
