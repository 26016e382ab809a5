// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { onCluster } from '../on-cluster.ts';
import { median, verdict } from '../verdict.ts';

const rounds = 5;
type Times = Readonly<Record<string, readonly number[]>>;

/**
 * How long until three members are healthy voters and one write is acknowledged, on a real kubelet with cached images.
 * The floor is a Parallel StatefulSet with static bootstrap, in the order A B B A. Uses the cluster of `npm run
 * cluster` if it is running; otherwise starts and stops one.
 */
export const bootstrap: Benchmark = {
  id: 'B9',
  title: 'bootstrap of a three-member cluster against a Parallel StatefulSet',
  async run(report, signal) {
    const program = [join(import.meta.dirname, 'inside.ts'), String(rounds)];
    const times = (await onCluster(program, report, signal)) as Times;
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

/** The reference for a side: as many pods without an operator. */
function floorOf(name: string): string {
  if (name.startsWith('10 at once')) return '10 at once: StatefulSet';
  return name.startsWith('20 at once') ? '20 at once: pod with Service' : 'StatefulSet';
}
