// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { removeCgroup } from './cgroups.ts';
import type { Layout } from './layout.ts';
import { endSandbox } from './sandbox.ts';
import { readState } from './state.ts';

/**
 * Ends a cluster and removes everything of it: processes, mounts and the network go with its first process, then the control groups
 * and the files. Also after a start or a stop that was cut off anywhere, and if there is no cluster at all.
 */
export async function stopCluster(layout: Layout): Promise<void> {
  const state = readState(layout);
  if (state) await endSandbox(state.init);
  await removeCgroup(layout.cgroup);
  await rm(layout.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
