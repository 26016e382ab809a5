// SPDX-License-Identifier: Apache-2.0
import { messages } from '@operator-parts/etcd/testing';
import { seededRandom } from '@operator-parts/ports';
import { answerCall, type Reply } from '../etcd/calls.ts';
import type { DataDirectory } from '../etcd/data-directory.ts';
import { Ether } from '../etcd/ether.ts';
import type { Member } from '../etcd/member.ts';
import { storageVersionOf } from '../etcd/versions.ts';
import { type EtcdUnderTest, type Operation, pause } from './script.ts';

interface Seat {
  readonly name: string;
  readonly peerUrl: string;
  id: string;
  initialCluster: string;
  directory: DataDirectory | undefined;
  process: Member | undefined;
}

/** How long a caller waits for its answer, and for a member to serve, in milliseconds. */
const patience = 5_000;
const startWithin = 20_000;
const step = 100;
const newest: Readonly<Record<string, string>> = { '3.5': '3.5.35', '3.6': '3.6.16', '3.7': '3.7.3' };

/** The model, driven as real processes are. */
export class ModelEtcd implements EtcdUnderTest {
  readonly #version: string;
  readonly #seats = new Map<string, Seat>();
  readonly #timers: { readonly at: number; readonly run: () => void }[] = [];
  #now = 0;
  readonly #ether = new Ether({
    now: () => this.#now,
    random: seededRandom(1),
    route: (_, url) => {
      const found = [...this.#seats.values()].find(({ peerUrl }) => peerUrl === url)?.process;
      return found?.exit ? undefined : found;
    },
    note: () => undefined,
  });

  constructor(version: string) {
    this.#version = version;
    const seat = this.#seat('a');
    seat.initialCluster = `${seat.name}=${seat.peerUrl}`;
    this.#start(seat, 'new');
    seat.id = seat.directory?.memberId ?? '';
    this.#pass(pause);
  }

  async perform(operation: Operation): Promise<string> {
    return this.#perform(operation);
  }

  async pass(milliseconds: number): Promise<void> {
    this.#pass(milliseconds);
  }

  async members(): Promise<string> {
    for (const { process } of this.#seats.values()) {
      if (!process || process.exit || !process.isVoter || !process.isServing) continue;
      const reply = this.#call(
        process,
        'Cluster/MemberList',
        messages.memberListRequest.encode({ linearizable: true }),
      );
      if (reply && 'message' in reply) return this.#describe(reply.message);
    }
    return 'no quorum';
  }

  async versions(member: string): Promise<string> {
    const { process } = this.#seat(member);
    if (!process || process.exit) return 'down';
    const { clusterVersion, downgradeTarget } = process.state;
    const target = downgradeTarget === undefined ? '' : `3.${downgradeTarget}.0`;
    const minor = process.settings.version.split('.').slice(0, 2).join('.');
    return [minor, `3.${clusterVersion}.0`, storageVersionOf(process), minor === '3.5' ? '' : target].join(' ');
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #perform(operation: Operation): string {
    switch (operation.do) {
      case 'start':
        return this.#start(this.#seat(operation.member), 'existing', newest[operation.version ?? '']);
      case 'downgrade': {
        const { to, by } = operation;
        const request = messages.downgradeRequest.encode({
          action: to ? 'enable' : 'cancel',
          version: `${to ?? ''}.0`,
        });
        return this.#ask(by, 'Maintenance/Downgrade', request);
      }
      case 'kill': {
        const { process } = this.#seat(operation.member);
        if (process) this.#ether.end(process, { code: 137, message: '' });
        return 'ok';
      }
      case 'wipe':
        this.#seat(operation.member).directory = undefined;
        return 'ok';
      case 'add':
        return this.#add(operation);
      case 'remove':
      case 'promote': {
        const method = operation.do === 'remove' ? 'Cluster/MemberRemove' : 'Cluster/MemberPromote';
        const id = BigInt(`0x${this.#seat(operation.member).id || '1'}`);
        return this.#ask(operation.by, method, messages.memberIdRequest.encode({ id }));
      }
    }
  }

  #add({ member, isLearner, by }: Extract<Operation, { do: 'add' }>): string {
    const seat = this.#seat(member);
    const request = messages.memberAddRequest.encode({ peerUrls: [seat.peerUrl], isLearner });
    return this.#ask(by, 'Cluster/MemberAdd', request, (message) => {
      const { member: added, members } = messages.memberAddResponse.decode(message);
      seat.id = added.id.toString(16);
      seat.initialCluster = members.map(({ peerUrls: [url = ''] }) => `${this.#nameAt(url)}=${url}`).join(',');
    });
  }

  #ask(by: string, method: string, request: Uint8Array, then?: (message: Uint8Array) => void): string {
    const { process } = this.#seat(by);
    if (!process || process.exit || !process.isServing) return 'unknown';
    const reply = this.#call(process, method, request);
    if (!reply) return 'unknown';
    if ('refusal' in reply)
      return reply.refusal.includes('timed out') || reply.refusal.includes('stopped') ? 'unknown' : reply.refusal;
    if ('message' in reply) then?.(reply.message);
    return 'ok';
  }

  #call(member: Member, method: string, request: Uint8Array): Reply | undefined {
    let answer: Reply | undefined;
    const scene = {
      ether: this.#ether,
      member,
      wallTime: () => this.#now,
      schedule: (milliseconds: number, then: () => void) =>
        void this.#timers.push({ at: this.#now + milliseconds, run: then }),
      note: () => undefined,
      onCall: () => undefined,
    };
    const call = answerCall(scene, method, request, (reply) => {
      answer = reply;
    });
    for (let waited = 0; answer === undefined && waited < patience; waited += step) this.#pass(step);
    call.cancel();
    return answer;
  }

  #start(seat: Seat, state: string, version = this.#version): string {
    if (seat.initialCluster === '') return 'never added';
    const settings = {
      name: seat.name,
      peerUrls: [seat.peerUrl],
      clientUrls: [],
      version,
      maxLearners: 1,
      snapshotCount: 10_000,
    };
    const boot = { initialCluster: seat.initialCluster, state, token: 'parity' };
    const started = this.#ether.start(seat.directory, settings, boot, '');
    if ('code' in started) return 'exits';
    seat.directory = started.directory;
    seat.process = started;
    for (let waited = 0; !started.exit && !started.isServing && waited < startWithin; waited += step) this.#pass(step);
    return started.exit ? 'exits' : started.isServing ? 'serves' : 'unreachable';
  }

  #pass(milliseconds: number): void {
    for (const end = this.#now + milliseconds; this.#now < end; ) {
      this.#now += step;
      this.#ether.beat();
      for (const timer of this.#timers.filter(({ at }) => at <= this.#now)) {
        this.#timers.splice(this.#timers.indexOf(timer), 1);
        timer.run();
      }
    }
  }

  #describe(message: Uint8Array): string {
    const { members } = messages.membersResponse.decode(message);
    return members
      .map(
        ({ peerUrls: [url = ''], isLearner, name }) =>
          `${letterOf(this.#nameAt(url))}${isLearner ? ' learner' : ''}${name ? '' : ' unstarted'}`,
      )
      .toSorted()
      .join(', ');
  }

  #nameAt(url: string): string {
    return [...this.#seats.values()].find(({ peerUrl }) => peerUrl === url)?.name ?? '?';
  }

  #seat(letter: string): Seat {
    const known = this.#seats.get(letter);
    if (known) return known;
    const seat = {
      name: `m-${letter}`,
      peerUrl: `http://${letter}:2380`,
      id: '',
      initialCluster: '',
      directory: undefined,
      process: undefined,
    };
    this.#seats.set(letter, seat);
    return seat;
  }
}

function letterOf(name: string): string {
  return name.replace('m-', '');
}
