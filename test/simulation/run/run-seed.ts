// SPDX-License-Identifier: Apache-2.0
import { recoverByHand } from './by-hand.ts';
import { disorder } from './disorder.ts';
import { endDrains } from './drains.ts';
import { strike } from './faults.ts';
import { freeSpace, judgeData } from './maintenance.ts';
import { type Script, scriptOf } from './script.ts';
import { Simulation } from './simulation.ts';
import { survivors } from './survivors.ts';
import { askForReachableVersion, release, removeHandMade, setPaused } from './users.ts';

const minute = 60_000;
/** How long the operator has to bring everything in order when the faults have stopped. */
const patience = 20 * minute;
/** How long nothing may be written then. */
const quiet = 5 * minute;

export interface Outcome {
  readonly seed: number;
  readonly failure: string | undefined;
  /** True if so much data was lost that only a person can help. */
  readonly isLost: boolean;
  readonly virtualSeconds: number;
  readonly trace: readonly string[];
}

/** Runs a script to its end: faults, repair, then the operator has nothing more to do. */
export async function runScript(script: Script): Promise<Outcome> {
  const simulation = new Simulation(script);
  await simulation.open();
  const { clock } = simulation;
  await simulation.during(simulation.createCluster());
  for (const event of script.events) clock.schedule(event.at, () => strike(simulation, event));
  for (const operator of simulation.operators) operator.start();
  simulation.writer.start();
  simulation.reader.start();
  const hasFailed = () => simulation.failure !== undefined;
  await simulation.until(hasFailed, script.calmAt);
  const isLost = hasFailed() ? false : await settleDown(simulation);
  const virtualSeconds = clock.monotonic() / 1000;
  // What processes say while they are torn down is no part of the story.
  const trace = [...simulation.trace];
  await simulation.close();
  return { seed: script.seed, failure: simulation.failure, isLost, virtualSeconds, trace };
}

export function runSeed(seed: number): Promise<Outcome> {
  return runScript(scriptOf(seed));
}

/** Everything is mended, and then everything has to become as if nothing had happened. True if that is impossible. */
async function settleDown(simulation: Simulation): Promise<boolean> {
  await mend(simulation);
  const problems = await untilInOrder(simulation);
  if (simulation.failure !== undefined) return false;
  if (problems.length === 0) {
    await keepQuiet(simulation);
    return false;
  }
  const { isRecoverable, words } = survivors(simulation);
  if (isRecoverable) {
    simulation.fail(`liveness: ${problems.join('; ')} (${words})`);
    return false;
  }
  simulation.note(`=== lost: ${words}`);
  return !(simulation.canRestore && (await isRecoveredByHand(simulation)));
}

/** What the operator may not decide a person decides, and then all has to be in order, too. */
async function isRecoveredByHand(simulation: Simulation): Promise<boolean> {
  const source = await recoverByHand(simulation);
  if (source === undefined || simulation.failure !== undefined) return false;
  const problems = await untilInOrder(simulation);
  if (problems.length > 0) simulation.fail(`liveness: recovered from ${source}, but ${problems.join('; ')}`);
  else await keepQuiet(simulation);
  return true;
}

/** All trouble ends: what a person would put right is put right, what is lost stays lost. */
async function mend(simulation: Simulation): Promise<void> {
  const { world } = simulation;
  const hasFailed = () => simulation.failure !== undefined;
  simulation.note('=== all faults end');
  world.server.faults.clear();
  world.cuts.clear();
  world.fullDisks.clear();
  world.distrusted.clear();
  world.dnsDelay = 0;
  world.backups.mend();
  world.webhook = undefined;
  endDrains(simulation);
  for (const pod of world.stored.values()) release(simulation, pod);
  for (const operator of simulation.operators) operator.continue();
  for (const kubelet of world.kubelets.values()) {
    kubelet.reconnect();
    if (!kubelet.isUp && !kubelet.isGone) kubelet.boot();
  }
  setPaused(simulation, false);
  await simulation.until(hasFailed, minute);
  askForReachableVersion(simulation);
  for (let tries = 0; tries < 5 && !removeHandMade(simulation); tries++) await simulation.until(hasFailed, 10_000);
}

/** Waits until all is in order and has been for a minute. What is still wrong when patience ends; nothing if all is well. */
async function untilInOrder(simulation: Simulation): Promise<readonly string[]> {
  const { clock } = simulation;
  const hasFailed = () => simulation.failure !== undefined;
  const start = clock.monotonic();
  for (let since: number | undefined; ; ) {
    await simulation.until(hasFailed, 5_000);
    // Only once somebody leads, which may be long after the faults: a survivor brings its alarms along.
    if (freeSpace(simulation)) judgeData(simulation);
    removeHandMade(simulation);
    if (simulation.leader()) simulation.restores.deleteHolders();
    const problems = disorder(simulation);
    since = problems.length > 0 ? undefined : (since ?? clock.monotonic());
    if (since !== undefined && clock.monotonic() - since > minute) return [];
    if (hasFailed() || clock.monotonic() - start > patience) return problems;
  }
}

/** Whoever has nothing to do writes nothing. */
async function keepQuiet(simulation: Simulation): Promise<void> {
  simulation.note('=== in order');
  // The status shows how much is stored: with a client that writes, it is written too.
  simulation.writer.stop();
  simulation.backups.end();
  const from = simulation.clock.monotonic();
  await simulation.until(() => simulation.failure !== undefined, quiet);
  if (simulation.wroteAt > from + minute)
    simulation.fail('liveness: the operator goes on writing though all is in order');
  const later = disorder(simulation);
  if (later.length > 0) simulation.fail(`liveness: order does not last: ${later.join('; ')}`);
}
