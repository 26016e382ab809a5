// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity } from '../parts/build/process-identity.ts';
import { ClusterError } from './cluster-error.ts';
import { addresses, type Layout } from './layout.ts';
import { runOrFail, systemPath } from './run-program.ts';

/** The lifetime of a cluster. */
export type Lifetime =
  /** Until this process ends in any way. */
  | 'this-process'
  /** Until it is stopped. */
  | 'until-stopped';

/** The namespaces of the cluster that a program enters. */
export type Entrance =
  /** Only its network: files and processes are this machine's. For tests and clients. */
  | 'network'
  /** Network, mounts and processes: the program is part of the cluster and ends with it. */
  | 'whole';

/**
 * The first process only reaps orphans, as a waiting shell does. The pipe on descriptor 3 closes when the process that
 * started the cluster ends; then the cluster ends too, unless it should stay.
 */
const wait = 'if read -r word <&3; then while :; do sleep 86400 & wait $!; done; fi';
const waitAndCollect = 'cat <&3 >/dev/null & wait $!';

/** The flags of `unshare` for a cluster. */
export const sandboxNamespaces = [
  '--mount',
  '--propagation',
  'private',
  '--net',
  '--ipc',
  '--pid',
  '--mount-proc',
  '--fork',
] as const;

/** The created namespaces and their first process. */
export interface Sandbox {
  readonly init: ProcessIdentity;
  /** From now on it outlives this process, if its lifetime says so. */
  letStay(): void;
}

/**
 * Creates the namespaces of a cluster: its own processes, mounts and network, without a connection to the outside. All
 * of it ends with its first process: nothing must be killed, unmounted or unrouted separately.
 */
export async function createSandbox(lifetime: Lifetime): Promise<Sandbox> {
  const script = lifetime === 'this-process' ? waitAndCollect : wait;
  const child = spawn('unshare', [...sandboxNamespaces, '--kill-child=SIGKILL', 'sh', '-c', script], {
    // A separate session: Ctrl-C is for the process that runs the cluster, which then stops it in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { PATH: systemPath },
  });
  const init = await Promise.race([failureOf(child), firstProcess(child.pid)]);
  child.unref();
  for (const stream of child.stdio) if (stream && 'unref' in stream) (stream as { unref(): void }).unref();
  const pipe = child.stdio[3] as Writable;
  return { init, letStay: () => void (lifetime === 'until-stopped' && pipe.end('stay\n')) };
}

function failureOf(child: ChildProcess): Promise<never> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const failure = new Promise<never>((_, reject) => {
    const fail = (why: string) =>
      reject(new ClusterError('NotPossibleHere', `this machine does not allow namespaces of our own: ${why.trim()}`));
    child.once('error', (error) => fail(error.message));
    child.once('exit', (status) => fail(words || `unshare ended with ${status}`));
  });
  // Its end is not awaited any more.
  failure.catch(() => undefined);
  return failure;
}

/** The child of `unshare`, once it is the first process of the new namespace. */
async function firstProcess(parent: number | undefined): Promise<ProcessIdentity> {
  for (let attempt = 0; parent !== undefined && attempt < 500; attempt++) {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
    const pid = Number(children.trim().split(' ')[0]);
    if (pid > 0) {
      const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      const identity = identityOf(pid);
      // Before it is the shell it has not mounted its own /proc yet.
      if (program.trim() === 'sh' && identity) return identity;
    }
    await sleep(10);
  }
  throw new ClusterError('StartFailed', 'the first process of the cluster did not start within 5 s');
}

/** The command line that runs a program inside. */
export function entering(init: ProcessIdentity, entrance: Entrance, argv: readonly string[]): readonly string[] {
  const whole = entrance === 'whole' ? ['--mount', '--ipc', '--pid'] : [];
  return ['nsenter', '--target', String(init.pid), '--net', ...whole, '--', ...argv];
}

/**
 * Gives the cluster its own folders at fixed paths, and a network with one address. Packets to Services need a route to
 * be sent; kube-proxy's rules then redirect them.
 */
export async function furnishSandbox(init: ProcessIdentity, layout: Layout): Promise<void> {
  const script = `
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$1" /var/lib
mount --bind "$2" /var/log
mount --make-rshared /
ip link set lo up
ip link add node0 type bridge
ip address add "$3" dev node0
ip link set node0 up
ip route add "$4" dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward
`;
  const { varLib, varLog } = layout;
  await runOrFail(
    entering(init, 'whole', ['sh', '-ec', script, 'sh', varLib, varLog, addresses.nodeNetwork, addresses.services]),
  );
}

/** Ends everything inside; returns when it is gone. */
export async function endSandbox(init: ProcessIdentity): Promise<void> {
  if (!isAlive(init)) return;
  process.kill(init.pid, 'SIGKILL');
  // The kernel ends all other processes before the first one; a slow disk may delay some of them.
  for (let attempt = 0; attempt < 1200; attempt++) {
    if (!isAlive(init)) return;
    await sleep(25);
  }
  throw new ClusterError(
    'CommandFailed',
    `process ${init.pid} of the cluster does not end: look at it with ps, it hangs in the kernel`,
  );
}
