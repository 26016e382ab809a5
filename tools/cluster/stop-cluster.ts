// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { removeCgroup } from './cgroups.ts';
import type { Layout } from './layout.ts';
import { endSandbox } from './sandbox.ts';
import { readState } from './state.ts';

/**
 * Stops a cluster and removes everything of it: processes, mounts and the network end with its first process, then the
 * cgroups and the files are removed. Also works after an interrupted start or stop, and if there is no cluster.
 */
export async function stopCluster(layout: Layout): Promise<void> {
  const state = readState(layout);
  if (state) await endSandbox(state.init);
  await removeCgroup(layout.cgroup);
  await rm(layout.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
