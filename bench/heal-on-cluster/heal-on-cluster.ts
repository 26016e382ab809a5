// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { healBars } from '../heal/bars.ts';
import { onCluster } from '../on-cluster.ts';
import { median, verdict } from '../verdict.ts';

const rounds = 5;

/** The measurements of the program inside: seconds of each round, and the result of the writes. */
export interface HealTimes {
  readonly setPod: readonly number[];
  readonly podStart: readonly number[];
  readonly pod: readonly number[];
  readonly volume: readonly number[];
  readonly allPods: readonly number[];
  readonly gapFollower: readonly number[];
  readonly gapLeaderStopped: readonly number[];
  readonly gapLeaderKilled: readonly number[];
  readonly written: number;
  readonly lost: number;
}

/** B10 on a real kubelet: the same failures as on kube-lab, against a StatefulSet on the same node that loses a pod. */
export const healOnCluster: Benchmark = {
  id: 'B10K',
  title: 'heal on a real kubelet: pods, volumes and leaders lost, against a StatefulSet that loses a pod; writes go on',
  async run(report, signal) {
    const program = [join(import.meta.dirname, 'inside.ts'), String(rounds)];
    const times = (await onCluster(program, report, signal)) as HealTimes;
    const one = median(times.pod);
    report(`${times.written} writes were acknowledged, ${times.lost} of them are lost`);
    const figures = {
      'pod deleted, volume kept: times a StatefulSet': one / median(times.setPod),
      'volume lost: seconds beyond a pod start': median(times.volume) - median(times.podStart),
      'all pods deleted, volumes kept: times one pod': median(times.allPods) / one,
      'acknowledged writes lost': times.lost,
      'write gap, follower killed: seconds': median(times.gapFollower),
      'write gap, leader stopped: seconds': median(times.gapLeaderStopped),
      'write gap, leader killed: median seconds': median(times.gapLeaderKilled),
      'write gap, leader killed: longest': Math.max(...times.gapLeaderKilled),
    };
    return verdict(figures, healBars);
  },
};
