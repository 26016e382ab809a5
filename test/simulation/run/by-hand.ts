// SPDX-License-Identifier: Apache-2.0
import type { Simulation } from './simulation.ts';
import { changeVersion, newestOf } from './users.ts';

/** How long a restore may take when nothing is in its way: longer than any of its own limits. */
const patience = 15 * 60_000;

/**
 * What a person does when a quorum is lost: recovers from a survivor, from the one that a refusal names if it names one, and else from a
 * backup. Undefined if there is nothing to recover from; the simulation fails if what there is does not bring the cluster back.
 */
export async function recoverByHand(simulation: Simulation): Promise<string | undefined> {
  const { restores } = simulation;
  askForVersionThatRan(simulation);
  // What cannot finish any more is in the way of all others.
  restores.deleteOpen();
  await simulation.until(() => simulation.failure !== undefined || restores.disorder().length === 0, patience);
  const bySurvivor = await end(simulation, restores.create(0, { source: { survivor: {} } }));
  if (bySurvivor.succeeded) return 'a survivor';
  const named = /set spec\.source\.survivor\.member to ([\w-]+)/.exec(bySurvivor.reason)?.[1];
  const byNamed =
    named === undefined
      ? undefined
      : await end(simulation, restores.create(0, { source: { survivor: { member: named } } }));
  if (byNamed?.succeeded) return `survivor ${named}`;
  if (restores.sources().length === 0) return undefined;
  const byBackup = await fromBackup(simulation);
  if (!byBackup.succeeded) simulation.fail(`liveness: a backup does not bring the cluster back: ${byBackup.reason}`);
  return 'a backup';
}

/** With the version that ran, or with that of the backup if a refusal asks for it: the cluster may have been downgraded since. */
async function fromBackup(simulation: Simulation): Promise<Ended> {
  const wish = { safetySnapshot: 'IfPossible' } as const;
  const first = await end(simulation, simulation.restores.create(0, wish));
  const minor = /was taken with etcd 3\.(\d+)\. Raise spec\.version/.exec(first.reason)?.[1];
  if (first.succeeded || minor === undefined) return first;
  changeVersion(simulation, newestOf(Number(minor)) ?? simulation.version);
  return end(simulation, simulation.restores.create(0, wish));
}

/** Nobody knows a leader that could be asked what can be reached: what ran before can. */
function askForVersionThatRan(simulation: Simulation): void {
  const ran = simulation.cluster()?.status?.currentVersion;
  if (ran && ran !== simulation.version) changeVersion(simulation, ran);
}

/** How a restore has ended. */
interface Ended {
  readonly succeeded: boolean;
  readonly reason: string;
}

async function end(simulation: Simulation, name: string): Promise<Ended> {
  const { restores } = simulation;
  const isOver = () => simulation.failure !== undefined || restores.endOf(name) !== undefined;
  await simulation.until(isOver, patience);
  const found = restores.endOf(name);
  if (!found && simulation.failure === undefined)
    simulation.fail(`liveness: ${name} has not ended: ${restores.disorder().join('; ')}`);
  return found ?? { succeeded: false, reason: '' };
}
