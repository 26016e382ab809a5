// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  attachCluster,
  type Cluster,
  layoutOf,
  loadImages,
  runningState,
  startCluster,
  stopCluster,
} from '@etcd-operator/tools/cluster';
import type { Benchmark } from '../benchmark.ts';
import { median, verdict } from '../verdict.ts';

const rounds = 5;
type Times = Readonly<Record<string, readonly number[]>>;

/**
 * How long until three members are healthy voters and one write is acknowledged, on a real kubelet with the images at hand. The
 * floor is a Parallel StatefulSet with static bootstrap, in the order A B B A. The cluster of `npm run cluster` is used if it
 * is up; otherwise one is started, and taken down again.
 */
export const bootstrap: Benchmark = {
  id: 'B9',
  title: 'bootstrap of a three-member cluster against a Parallel StatefulSet',
  async run(report, signal) {
    const times = runningState(layoutOf('dev'))
      ? await measureInside(await attachCluster('dev'), 'dev', report, signal)
      : await measureInOwnCluster(report, signal);
    const ratios: Record<string, number> = {};
    for (const [name, all] of Object.entries(times)) {
      const spread = `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
      report(`${name}: median ${median(all).toFixed(2)} s (${spread})`);
      const base = floorOf(name);
      if (name !== base) ratios[`seconds, ${name}`] = median(all) / median(times[base] ?? []);
    }
    return verdict(ratios, {
      'seconds, etcd-operator': { atMost: 3.2 },
      'seconds, etcd-operator, checkDNS: false': { atMost: 2.5 },
      'seconds, 10 at once: etcd-operator, checkDNS: false': { atMost: 1.6 },
      'seconds, 20 at once: etcd-operator, one member': { atMost: 2 },
    });
  },
};

/** What a side is held against: as many pods without an operator. */
function floorOf(name: string): string {
  if (name.startsWith('10 at once')) return '10 at once: StatefulSet';
  return name.startsWith('20 at once') ? '20 at once: pod with Service' : 'StatefulSet';
}

async function measureInOwnCluster(report: (line: string) => void, signal: AbortSignal): Promise<Times> {
  const name = 'bench';
  const cluster = await startCluster({ name, lifetime: 'this-process', report, signal });
  try {
    return await measureInside(cluster, name, report, signal);
  } finally {
    await stopCluster(layoutOf(name));
  }
}

/** The clients that measure are in the cluster's network. */
async function measureInside(
  cluster: Cluster,
  name: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<Times> {
  await loadImages(cluster, ['operator', 'busybox', 'etcd@3.6']);
  const program = join(import.meta.dirname, 'inside.ts');
  const [command = '', ...args] = cluster.entering('network', [process.execPath, program, String(rounds)]);
  const env = { ...process.env, ETCD_OPERATOR_E2E_CLUSTER: name, KUBECONFIG: cluster.kubeconfig };
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, signal });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });
  createInterface(child.stderr).on('line', report);
  const [said] = await Promise.all([text(child.stdout), ended]);
  return JSON.parse(said) as Times;
}
