// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageTable, type Lab, startLab } from '@etcd-operator/kube-lab';
import { podLogReader, runEtcdOperator } from '@etcd-operator/operator';
import { createLogger, type LogRecord, systemClock } from '@etcd-operator/ports';
import type { Part } from '@etcd-operator/tools';
import { moduleCache } from '../module-cache.ts';
import { namespace } from './example-cluster.ts';

const nodes = 5;

/** A lab on the port asked for, or on a free one if that is taken. */
export async function startLabOn(
  port: number | undefined,
  images: ImageTable,
  note: (text: string) => void,
): Promise<Lab> {
  try {
    return await startLab({ nodes, images, ...(port !== undefined && { port }) });
  } catch (error) {
    if (port === undefined || (error as { code?: unknown }).code !== 'EADDRINUSE') throw error;
    note(`port ${port} is taken: the API server uses another`);
    return startLab({ nodes, images });
  }
}

/** The real operator, in this process; its members are reached by way of the lab. */
export function runOperator(lab: Lab, warn: (record: LogRecord) => void, signal: AbortSignal): Promise<void> {
  return runEtcdOperator(
    {
      client: lab.client(),
      log: createLogger({ clock: systemClock, level: 'warn', write: warn }),
      namespace,
      identity: 'playground',
      leaderElection: false,
      readLog: podLogReader(lab.server.transport()),
      dial: ({ host, port }) => lab.dial(host, port),
      healthInterval: 1_000,
    },
    signal,
  );
}

const plugin = join(import.meta.dirname, '..', '..', '..', 'kubectl-etcd', 'src', 'programs', 'kubectl-etcd.ts');

/** A folder with `kubectl-etcd` and etcd's own tools, for shells. Goes with the lab. */
export async function layOutTools(lab: Lab, etcd: Part): Promise<string> {
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
  return bin;
}
