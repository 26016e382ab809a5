// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { isAlive, type ProcessIdentity } from '../parts/build/process-identity.ts';
import type { Layout } from './layout.ts';

/** Facts about a started cluster. */
export interface ClusterState {
  /** The first process inside: everything ends with it. */
  readonly init: ProcessIdentity;
  /** True if all components are ready. */
  readonly ready: boolean;
  /** Its part, such as 'kubernetes@1.35'. */
  readonly kubernetes: string;
}

/** Undefined if there is none, or it is invalid. */
export function readState({ stateFile }: Layout): ClusterState | undefined {
  try {
    const state = JSON.parse(readFileSync(stateFile, 'utf8')) as Partial<ClusterState>;
    const { init, ready, kubernetes } = state;
    if (!init || typeof init.pid !== 'number') return undefined;
    // Absent in old files, from before there was a choice.
    return { init, ready: ready === true, kubernetes: kubernetes ?? 'kubernetes' };
  } catch {
    return undefined;
  }
}

export async function writeState({ stateFile }: Layout, state: ClusterState): Promise<void> {
  await writeFile(`${stateFile}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${stateFile}.new`, stateFile);
}

/** The state of a cluster whose first process is alive. */
export function runningState(layout: Layout): ClusterState | undefined {
  const state = readState(layout);
  return state && isAlive(state.init) ? state : undefined;
}
