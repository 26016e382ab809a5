// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@etcd-operator/tools';
import { isEtcdError, MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { seconds, untilServed } from './time-to-serve.ts';

interface Member {
  readonly name: string;
  readonly data: string;
  readonly client: string;
  readonly peer: string;
}

/**
 * The seconds that two members take to join a single member, which is started on this data directory. They join one after the other: each
 * is added as a learner, started, and promoted once it serves.
 */
export async function secondsToGrow(program: string, directory: string): Promise<number> {
  const first = await memberOn(directory, 'default');
  const others = [await memberOn(`${directory}-b`, 'b'), await memberOn(`${directory}-c`, 'c')];
  const stop = new AbortController();
  const ended: Promise<unknown>[] = [];
  const start = (member: Member, args: readonly string[] = []) => {
    const child = spawnEtcd(program, member, args, stop.signal);
    ended.push(new Promise((resolve) => child.once('exit', resolve)));
    return child;
  };
  const { hostname, port } = new URL(first.client);
  using leader = new MemberClient({ target: { host: hostname, port: Number(port) }, clock: systemClock });
  try {
    await untilServed(start(first), first.client);
    // A restored member lists the peer URL that the restore tool assumes.
    const { members } = await leader.cluster.memberList();
    await leader.cluster.memberUpdate(members[0]?.id ?? 0n, [first.peer]);
    const peers = [`default=${first.peer}`];
    return await seconds(async () => {
      for (const member of others) {
        peers.push(`${member.name}=${member.peer}`);
        const { member: added } = await accepted(() =>
          leader.cluster.memberAdd({ peerUrls: [member.peer], isLearner: true }),
        );
        const child = start(member, [`--initial-cluster=${peers.join()}`, '--initial-cluster-state=existing']);
        await untilServed(child, member.client, '?serializable=true');
        await accepted(() => leader.cluster.memberPromote(added?.id ?? 0n));
      }
    });
  } finally {
    stop.abort();
    await Promise.all(ended);
    for (const { data } of others) await rm(data, { recursive: true, force: true });
  }
}

async function memberOn(data: string, name: string): Promise<Member> {
  const address = async () => `http://127.0.0.1:${await freePort()}`;
  return { name, data, client: await address(), peer: await address() };
}

function spawnEtcd(
  program: string,
  { name, data, client, peer }: Member,
  args: readonly string[],
  signal: AbortSignal,
): ChildProcess {
  const child = spawn(
    program,
    [
      ...['--data-dir', data, '--name', name, '--quota-backend-bytes', '8589934592', '--listen-peer-urls', peer],
      ...['--initial-advertise-peer-urls', peer, '--listen-client-urls', client, '--advertise-client-urls', client],
      ...(args.length > 0 ? args : [`--initial-cluster=${name}=${peer}`]),
    ],
    { stdio: 'ignore', signal, killSignal: 'SIGKILL' },
  );
  // Stopping the process is reported as an error.
  child.once('error', () => undefined);
  return child;
}

/**
 * Retries a change until etcd accepts it. etcd refuses to promote a learner until the learner has nearly all data, and to add another
 * member until etcd has been connected to all members for some seconds.
 */
async function accepted<T>(change: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!isEtcdError(error)) throw error;
      await sleep(20);
    }
  }
}
