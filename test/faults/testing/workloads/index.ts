// SPDX-License-Identifier: Apache-2.0
import type { Workload } from '../workload.ts';
import { backupWorkloads } from './backup-workloads.ts';
import { clusterWorkloads } from './cluster-workloads.ts';
import { recoveryWorkloads } from './recovery-workloads.ts';

export const workloads: readonly Workload[] = [...clusterWorkloads, ...backupWorkloads, ...recoveryWorkloads];
