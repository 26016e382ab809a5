// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isEtcdError } from '@operator-parts/etcd';
import { EtcdLab, type EtcdProcess } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { type EtcdUnderTest, type Operation, pause } from './script.ts';

interface Seat {
  readonly letter: string;
  readonly process: EtcdProcess;
  id: bigint;
  initialCluster: string;
  isRunning: boolean;
}

const timeoutMs = 5_000;
const startWithin = 20_000;

/** Real processes on loopback. */
export class RealEtcd implements EtcdUnderTest {
  readonly #lab: EtcdLab;
  readonly #minor: string;
  readonly #seats = new Map<string, Seat>();
  version = '';

  private constructor(lab: EtcdLab, minor: string) {
    this.#lab = lab;
    this.#minor = minor;
  }

  static async open(minor: string): Promise<RealEtcd> {
    const real = new RealEtcd(await EtcdLab.open(), minor);
    const seat = await real.#seat('a');
    await seat.process.start({ version: minor });
    seat.isRunning = true;
    const { memberId, version } = await seat.process.client().maintenance.status();
    seat.id = memberId;
    real.version = version;
    await real.pass(pause);
    return real;
  }

  pass(milliseconds: number): Promise<void> {
    return systemClock.sleep(milliseconds);
  }

  async members(): Promise<string> {
    for (const seat of this.#seats.values()) {
      if (!seat.isRunning) continue;
      try {
        const { members } = await seat.process.client().cluster.memberList({ timeoutMs });
        return members
          .map(
            ({ peerUrls: [url = ''], isLearner, name }) =>
              `${this.#letterAt(url)}${isLearner ? ' learner' : ''}${name ? '' : ' unstarted'}`,
          )
          .toSorted()
          .join(', ');
      } catch (error) {
        if (!isEtcdError(error)) throw error;
      }
    }
    return 'no quorum';
  }

  async versions(member: string): Promise<string> {
    const seat = await this.#seat(member);
    if (!seat.isRunning) return 'down';
    const { cluster = '' } = await seat.process.endpoints('peer').version();
    const { version, storageVersion = '', downgrade } = await seat.process.client().maintenance.status({ timeoutMs });
    const minor = version.split('.').slice(0, 2).join('.');
    return [minor, cluster, storageVersion, downgrade?.targetVersion ?? ''].join(' ');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lab[Symbol.asyncDispose]();
  }

  async perform(operation: Operation): Promise<string> {
    switch (operation.do) {
      case 'start':
        return this.#start(await this.#seat(operation.member), operation.version);
      case 'downgrade': {
        const { maintenance } = (await this.#seat(operation.by)).process.client();
        const { to } = operation;
        return outcomeOf(
          to ? maintenance.downgradeEnable(`${to}.0`, { timeoutMs }) : maintenance.downgradeCancel({ timeoutMs }),
        );
      }
      case 'kill': {
        const seat = await this.#seat(operation.member);
        await seat.process.stop('SIGKILL');
        seat.isRunning = false;
        return 'ok';
      }
      case 'wipe': {
        const { process } = await this.#seat(operation.member);
        await rm(join(this.#lab.directory, process.name), { recursive: true, force: true });
        return 'ok';
      }
      case 'add':
        return this.#add(operation);
      case 'remove':
      case 'promote': {
        const { id } = await this.#seat(operation.member);
        const { cluster } = (await this.#seat(operation.by)).process.client();
        const change =
          operation.do === 'remove'
            ? cluster.memberRemove(id, { timeoutMs })
            : cluster.memberPromote(id, { timeoutMs });
        return outcomeOf(change);
      }
    }
  }

  async #add({ member, isLearner, by }: Extract<Operation, { do: 'add' }>): Promise<string> {
    const seat = await this.#seat(member);
    const { cluster } = (await this.#seat(by)).process.client();
    return outcomeOf(
      cluster
        .memberAdd({ peerUrls: [seat.process.peerUrl], isLearner }, { timeoutMs })
        .then(({ member: added, members }) => {
          seat.id = added.id;
          seat.initialCluster = members
            .map(({ peerUrls: [url = ''] }) => `${this.#seatAt(url)?.process.name}=${url}`)
            .join(',');
        }),
    );
  }

  async #start(seat: Seat, version = this.#minor): Promise<string> {
    if (seat.letter !== 'a' && seat.initialCluster === '') return 'never added';
    const joining = seat.initialCluster ? { join: seat.initialCluster } : {};
    await seat.process.start({ version, unattended: true, ...joining });
    seat.isRunning = true;
    const ended = seat.process.ended().then(() => 'exits');
    return Promise.race([ended, this.#serves(seat)]);
  }

  async #serves({ process }: Seat): Promise<string> {
    const client = process.client();
    for (let asked = 0; asked < startWithin / 500; asked++) {
      try {
        await client.maintenance.status({ timeoutMs: 500 });
        return 'serves';
      } catch (error) {
        if (!isEtcdError(error)) throw error;
        await systemClock.sleep(error.code === 'Timeout' ? 0 : 500);
      }
    }
    return 'unreachable';
  }

  #letterAt(url: string): string {
    return this.#seatAt(url)?.letter ?? '?';
  }

  #seatAt(url: string): Seat | undefined {
    return [...this.#seats.values()].find(({ process }) => process.peerUrl === url);
  }

  async #seat(letter: string): Promise<Seat> {
    const known = this.#seats.get(letter);
    if (known) return known;
    const seat = { letter, process: await this.#lab.member(), id: 1n, initialCluster: '', isRunning: false };
    this.#seats.set(letter, seat);
    return seat;
  }
}

async function outcomeOf(change: Promise<unknown>): Promise<string> {
  try {
    await change;
    return 'ok';
  } catch (error) {
    if (!isEtcdError(error)) throw error;
    const isOpen = ['Timeout', 'Unavailable', 'Aborted', 'ServerStopped'].includes(error.code);
    return isOpen || error.message.includes('raft: stopped')
      ? 'unknown'
      : error.message.replace(/^.*?(etcdserver: )/, '$1');
  }
}
