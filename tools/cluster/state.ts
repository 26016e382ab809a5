// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { isAlive, type ProcessIdentity } from '../parts/build/process-identity.ts';
import type { Layout } from './layout.ts';

/** What is known of a started cluster. */
export interface ClusterState {
  /** The first process inside: with it ends everything else. */
  readonly init: ProcessIdentity;
  /** Is everything up, as far as the start has seen? */
  readonly ready: boolean;
  /** Which part it runs, such as 'kubernetes@1.35'. */
  readonly kubernetes: string;
}

/** Undefined if there is none, or none that can be read. */
export function readState({ stateFile }: Layout): ClusterState | undefined {
  try {
    const state = JSON.parse(readFileSync(stateFile, 'utf8')) as Partial<ClusterState>;
    const { init, ready, kubernetes } = state;
    if (!init || typeof init.pid !== 'number') return undefined;
    // Until there was a choice, nothing said so.
    return { init, ready: ready === true, kubernetes: kubernetes ?? 'kubernetes' };
  } catch {
    return undefined;
  }
}

export async function writeState({ stateFile }: Layout, state: ClusterState): Promise<void> {
  await writeFile(`${stateFile}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${stateFile}.new`, stateFile);
}

/** The state of a cluster whose first process lives. */
export function runningState(layout: Layout): ClusterState | undefined {
  const state = readState(layout);
  return state && isAlive(state.init) ? state : undefined;
}
