// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { podLogReader, runEtcdOperator } from '@etcd-operator/operator';
import { findOnPath, type Part, partIfCached } from '@etcd-operator/tools';
import { type ImageTable, type Lab, startLab } from '@operator-parts/kube-lab';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { builtInOperator } from '../model/state.ts';
import { moduleCache } from '../module-cache.ts';
import { namespace } from './example-cluster.ts';

const nodes = 5;

/** A lab on the requested port, or on a free one if it is in use. Its webhooks may be Services, as in any cluster. */
export async function startLabOn(
  port: number | undefined,
  images: ImageTable,
  note: (text: string) => void,
): Promise<Lab> {
  const lab = await openLab(port, images, note);
  lab.server.useDialService((host, to) => lab.dial(host, to));
  return lab;
}

async function openLab(port: number | undefined, images: ImageTable, note: (text: string) => void): Promise<Lab> {
  try {
    return await startLab({ nodes, images, ...(port !== undefined && { port }) });
  } catch (error) {
    if (port === undefined || (error as { code?: unknown }).code !== 'EADDRINUSE') throw error;
    note(`port ${port} is already in use: the API server uses another port`);
    return startLab({ nodes, images });
  }
}

/**
 * The real operator in this process; it reaches members through the lab. It uses the same lease as an operator deployed
 * in the lab, so that only one of them is active.
 */
export function runOperator(lab: Lab, warn: (record: LogRecord) => void, signal: AbortSignal): Promise<void> {
  return runEtcdOperator(
    {
      client: lab.client(),
      log: createLogger({ clock: systemClock, level: 'warn', write: warn }),
      namespace,
      identity: builtInOperator,
      readLog: podLogReader(lab.server.transport()),
      dial: ({ host, port }) => lab.dial(host, port),
      healthInterval: 1_000,
    },
    signal,
  );
}

const plugin = join(import.meta.dirname, '..', '..', '..', 'kubectl-etcd', 'src', 'programs', 'kubectl-etcd.ts');

const noKubectl =
  'kubectl is not on your PATH: install it, or type "npm run tools -- kubectl" in the repository and start the playground again';

/**
 * A folder for shells with `kubectl-etcd`, etcd's own tools, and kubectl if only our cache has one; without kubectl, a
 * program that says how to get it. Removed with the lab.
 */
export async function layOutTools(
  lab: Pick<Lab, 'directory'>,
  etcd: Part,
  path = process.env['PATH'] ?? '',
  find: (part: 'kubectl') => Promise<Part | undefined> = partIfCached,
): Promise<string> {
  const bin = join(lab.directory, 'bin');
  await mkdir(bin, { recursive: true });
  const script = join(bin, 'kubectl-etcd');
  const cache = `NODE_COMPILE_CACHE='${moduleCache(process.env)}'`;
  await writeFile(script, `#!/bin/sh\n${cache} exec '${process.execPath}' '${plugin}' "$@"\n`);
  await chmod(script, 0o755);
  for (const tool of ['etcdctl', 'etcdutl']) {
    const source = etcd.programs[tool];
    if (source) await symlink(source, join(bin, tool));
  }
  if ((await findOnPath('kubectl', path)) !== undefined) return bin;
  const cached = (await find('kubectl'))?.programs['kubectl'];
  if (cached) await symlink(cached, join(bin, 'kubectl'));
  else await writeFile(join(bin, 'kubectl'), `#!/bin/sh\necho '${noKubectl}' >&2\nexit 127\n`, { mode: 0o755 });
  return bin;
}
