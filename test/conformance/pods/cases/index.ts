// SPDX-License-Identifier: Apache-2.0
/** All subjects about Pods, in the order in which they are printed. */
import type { PodSubject } from '../pod-trial.ts';
import { environment } from './environment.ts';
import { lifecycle } from './lifecycle.ts';
import { logs } from './logs.ts';
import { network } from './network.ts';
import { order } from './order.ts';
import { probes } from './probes.ts';
import { trouble } from './trouble.ts';
import { podVolumes } from './volumes.ts';

export const podSubjects: readonly PodSubject[] = [
  lifecycle,
  trouble,
  environment,
  podVolumes,
  probes,
  order,
  network,
  logs,
];
