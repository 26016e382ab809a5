// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@operator-parts/ports';

type Environment = Readonly<Record<string, string | undefined>>;

/** A running playground, as a second terminal finds it. */
export interface Entry {
  readonly pid: number;
  /** Unix socket for commands. */
  readonly socket: string;
  readonly kubeconfig: string;
  /** Folder with `kubectl-etcd` and `etcdctl`. */
  readonly bin: string;
  /** The endpoint for etcd's clients; empty until the cluster has a Service. */
  readonly endpoint: string;
  /** Folder with the files `credentials` and `config` for the S3 server. */
  readonly aws: string;
}

/** Where playgrounds of this user are registered. */
function registryDirectory(env: Environment): string {
  const base = env['XDG_RUNTIME_DIR'] || env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'etcd-operator', 'playgrounds');
}

/** Registers a playground; the function removes the registration. */
export async function register(entry: Entry, env: Environment): Promise<() => Promise<void>> {
  const directory = registryDirectory(env);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${entry.pid}.json`);
  await writeFile(file, JSON.stringify(entry), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** The running playgrounds. Registrations of killed ones are removed. */
export async function playgrounds(env: Environment): Promise<readonly Entry[]> {
  const directory = registryDirectory(env);
  const names = await readdir(directory).catch(() => []);
  const found: Entry[] = [];
  for (const name of names.filter((candidate) => /^\d+\.json$/.test(candidate)).sort()) {
    const entry = await read(join(directory, name));
    if (entry && isAlive(entry.pid)) found.push(entry);
    else await rm(join(directory, name), { force: true });
  }
  return found;
}

async function read(file: string): Promise<Entry | undefined> {
  try {
    const entry = JSON.parse(await readFile(file, 'utf8')) as Partial<Entry>;
    const { pid, socket, kubeconfig, bin, endpoint, aws } = entry;
    if (typeof pid !== 'number' || typeof socket !== 'string' || typeof kubeconfig !== 'string') return undefined;
    return { pid, socket, kubeconfig, bin: bin ?? '', endpoint: endpoint ?? '', aws: aws ?? '' };
  } catch {
    return undefined;
  }
}

/** Resolves when a playground has ended; never if the signal is aborted first. */
export async function whenGone(pid: number, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  while (isAlive(pid)) {
    if (
      await clock.sleep(1_000, signal).then(
        () => false,
        () => true,
      )
    )
      return new Promise(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
