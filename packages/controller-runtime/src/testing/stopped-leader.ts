// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, configMaps, leases } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { versionOrder } from '../reflector/resource-version.ts';
import type { RealServer } from './real-server.ts';

const program = fileURLToPath(new URL('leader-child.ts', import.meta.url));

/** Makes a leader stop itself, as by SIGSTOP, until it gets SIGCONT: see `leader-child.ts`. */
export const stopSignal = 'SIGUSR2';

/** Starts a leader, or a candidate, as a separate process: see `leader-child.ts`. */
export function startLeader(server: RealServer, identity: string): ChildProcess {
  const { caFile, token } = server.access;
  return spawn(process.execPath, [program, String(server.port), caFile, token, identity], { stdio: 'inherit' });
}

/** The lease that these processes share. */
export const sharedLease = (client: Client) => client.resource(leases).get({ namespace: 'default', name: 'child' });

/** The names of the objects that `identity` wrote after the version at which another process held the lease. */
export async function writtenAfter(client: Client, identity: string, version: string): Promise<readonly string[]> {
  const { items } = await client.resource(configMaps).list({ namespace: 'default', labelSelector: `by=${identity}` });
  return items
    .filter(({ metadata }) => (versionOrder(metadata?.resourceVersion ?? '', version) ?? 1) > 0)
    .map(({ metadata }) => metadata?.name ?? '');
}

/**
 * Stops a leader until another process has taken over, then continues it; returns the objects that it wrote after that.
 */
export async function stopLeader(server: RealServer, client: Client): Promise<readonly string[]> {
  const has = async (identity: string) => {
    const holder = async () => (await sharedLease(client).catch(() => undefined))?.spec?.holderIdentity;
    while ((await holder()) !== identity) await systemClock.sleep(50);
  };
  const old = startLeader(server, 'stopped');
  await has('stopped');
  const successor = startLeader(server, 'successor');
  try {
    await systemClock.sleep(1500);
    old.kill(stopSignal);
    await has('successor');
    const takenOver = (await sharedLease(client)).metadata?.resourceVersion ?? '';
    old.kill('SIGCONT');
    await once(old, 'exit');
    return await writtenAfter(client, 'stopped', takenOver);
  } finally {
    old.kill('SIGKILL');
    successor.kill('SIGTERM');
    if (successor.exitCode === null) await once(successor, 'exit');
  }
}
