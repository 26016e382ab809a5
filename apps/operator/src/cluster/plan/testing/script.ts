// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Desired } from '../../desired.ts';
import type { Plan } from '../plan.ts';
import { isSameVersion } from '../rolling/member-release.ts';
import { clusterWithoutIdentity } from './adoption.ts';
import { decideByHand, faultsOfVoters, isKnownWrong } from './data-faults.ts';
import { calm, faults, mend } from './faults.ts';
import { runningVersionOf } from './model-node.ts';
import { canComeBack, type KubernetesView, kubernetesView } from './observe.ts';
import { act, pass, pause } from './run.ts';
import { World } from './world.ts';

/** One event, and how the operator runs for some time after it. */
export interface Scene {
  readonly fault: string;
  readonly pick: number;
  readonly rounds: number;
  readonly milliseconds: number;
  /** The operator's process dies once, before or in the middle of the step with this number. */
  readonly diesAt: number | undefined;
  readonly dies: 'whole' | 'half';
  /** True if caches are one round behind. */
  readonly isStale: boolean;
  /** True if a second operator carries out the same plan. */
  readonly isDoubled: boolean;
  /**
   * For how many milliseconds the operator's process is stopped once between planning and acting. Pods that were cut off become reachable
   * again in this time.
   */
  readonly stopsFor: number;
}

export interface Script {
  readonly kind: string;
  readonly size: number;
  readonly version: string;
  /** True if the script begins without a cluster; else it begins with a settled cluster. */
  readonly fromBootstrap: boolean;
  /** @default Manual */
  readonly quorumLoss?: Desired['quorumLoss'];
  readonly scenes: readonly Scene[];
}

/** Events while the data of members differs: each may remove or add a copy of the data. */
export const aroundCorruption = [
  'findCorruption',
  'corruptData',
  'findCorruption',
  'deletePod',
  'forceDeletePod',
  'cutPod',
  'hidePod',
  'mendNetwork',
  'nodeDown',
  'resize',
  'removeMemberByHand',
  'restartOperator',
];

/** Events that remove members permanently, and events that only seem to remove them. */
export const aroundLoss = [
  'deletePodAndVolume',
  'deletePodAndVolume',
  'forceDeletePod',
  'nodeGone',
  'nodeDown',
  'cutPod',
  'hidePod',
  'evictPod',
  'deleteVolume',
  'mendNetwork',
  'nodeUp',
  'restartOperator',
  'resize',
];

/** Random scripts. If a script fails, fast-check shrinks it to the few scenes that matter. */
export function scripts(
  kind: string,
  among = Object.keys(faults),
  quorumLoss: readonly Desired['quorumLoss'][] = ['Manual', 'Automatic'],
): fc.Arbitrary<Script> {
  const scene = fc.record({
    fault: fc.constantFrom(...among),
    pick: fc.nat(6),
    rounds: fc.nat(12),
    milliseconds: fc.constantFrom(1_000, 250, 5_000, 30_000),
    diesAt: fc.option(fc.nat(3), { nil: undefined, freq: 3 }),
    dies: fc.constantFrom('whole' as const, 'half' as const),
    isStale: fc.boolean(),
    isDoubled: fc.boolean(),
    stopsFor: fc.constantFrom(0, 0, 0, 60_000),
  });
  return fc.record({
    kind: fc.constant(kind),
    size: fc.constantFrom(3, 1, 2, 5),
    version: fc.constantFrom('3.6.16', '3.6.11', '3.5.35', '3.7.3', '3.4.44'),
    fromBootstrap: fc.boolean(),
    quorumLoss: fc.constantFrom(...quorumLoss),
    scenes: fc.array(scene, { minLength: 1, maxLength: 7 }),
  });
}

/**
 * How a run ended. `steady`: the cluster is as the spec asks. `held`: it is, except for a version that cannot be reached. `lost`: too many
 * voters have lost their data for a quorum.
 */
export type Outcome = 'steady' | 'held' | 'lost';

/** How a run ended, and how often the cluster was recovered during it. */
export interface Ending {
  readonly outcome: Outcome;
  readonly recoveries: number;
}

/** Plays a script and then ends all faults. Throws if a safety rule is violated, or if the cluster does not settle. */
export function run(script: Script): Outcome {
  return runToEnd(script).outcome;
}

export function runToEnd(script: Script): Ending {
  const world = open(script);
  let old = kubernetesView(world);
  for (const scene of script.scenes) {
    const view = kubernetesView(world);
    play(world, scene, old);
    old = view;
  }
  calm(world);
  return { outcome: rest(world), recoveries: world.restores.size };
}

const storages: Readonly<Record<string, Desired['storage']>> = { claim: 'claim', local: 'claim', memory: 'memory' };

/** Where a cluster stores its data: `local` volumes cannot leave their node. */
export const kinds = ['emptyDir', 'claim', 'local', 'memory', 'adopted'];

function open({ kind, size, version, fromBootstrap, quorumLoss = 'Manual' }: Script): World {
  const storage = storages[kind] ?? 'emptyDir';
  const desired = { size, version, storage, quorumLoss, recoverAfter: 60_000 };
  const world = kind === 'adopted' ? clusterWithoutIdentity(desired) : new World(desired);
  world.isLocal = kind === 'local';
  if (!fromBootstrap) rest(world);
  world.log.length = 0;
  return world;
}

/** `old` is the state that outdated caches show at first: the state before the previous scene, with the spec of that time. */
function play(world: World, scene: Scene, old: KubernetesView): void {
  let before = old;
  faults[scene.fault]?.(world, scene.pick);
  world.log.push(`[${scene.fault} ${scene.pick}]`);
  world.settle();
  for (let round = 0; round < scene.rounds; round++) {
    const view = kubernetesView(world);
    const { diesAt } = scene;
    const plan = pass(world, {
      ...(scene.isStale && { kubernetes: before }),
      ...(round === 1 && diesAt !== undefined && { diesAt, extent: scene.dies }),
      ...(round === scene.pick && { stopsFor: scene.stopsFor, meanwhile: mend }),
    });
    // If there are two operators, the operator that was stopped notices that its plan is outdated and does not act.
    if (scene.isDoubled && (round !== scene.pick || scene.stopsFor === 0)) act(world, plan);
    before = view;
    world.tick(scene.milliseconds);
  }
}

/** More rounds than the slowest run needs. */
const limit = 2_000;

function rest(world: World): Outcome {
  let why = '';
  const pace = new Pace();
  for (let round = 0; round < limit; round++) {
    decideByHand(world, round > 500);
    const plan = pass(world);
    pace.note(plan, world.now);
    const outcome = plan.steps.length === 0 && !world.isEnding() ? outcomeOf(world, plan, round) : undefined;
    if (outcome) return outcome;
    why = `${plan.situation}: ${[...plan.steps, ...plan.waits].map(({ reason }) => reason).join('; ')}`;
    world.tick(pause(plan));
  }
  throw new Error(`no rest after ${limit} rounds: ${why}\n${world.log.slice(-60).join(' ')}`);
}

/** Undefined while there is something to wait for. */
function outcomeOf(world: World, { situation, waits }: Plan, round: number): Outcome | undefined {
  if (situation === 'steady' && waits.length === 0) return atGoal(world);
  if (situation === 'upgrading' && waits.some(({ reason }) => isHeld.test(reason))) return 'held';
  const patience = world.desired.quorumLoss === 'Automatic' ? 100 : 10;
  return !canComeBack(world) && round > patience ? 'lost' : undefined;
}

/** Checks that the operator does not retry a long wait at short intervals. */
class Pace {
  #waitsFor = '';
  #since = 0;

  note({ steps, waits, retryAfter = Number.POSITIVE_INFINITY }: Plan, now: number): void {
    const words = steps.length > 0 ? '' : waits.map(({ reason }) => reason).join('; ');
    if (words === '' || words !== this.#waitsFor) [this.#waitsFor, this.#since] = [words, now];
    else if (now - this.#since > 90_000 && retryAfter <= 500)
      throw new Error(`asked every ${retryAfter} ms for ${now - this.#since} ms: ${words}`);
  }
}

const isHeld = /is refused|is on hold|^The upgrade to \S+ failed/;

function atGoal(world: World): Outcome {
  const { desired, members } = world;
  const pods = [...world.pods.values()];
  // If the spec stopped using volumes before the bootstrap, the first volume of the seed may remain: it is not recorded anywhere.
  const recorded = [...world.volumes.values()].filter(
    (volume) => volume.memberId !== '' && volume.incarnation === world.incarnation,
  );
  const wrong = [
    members.length !== desired.size && `${members.length} members instead of ${desired.size}`,
    members.some((member) => member.isLearner) && 'a learner',
    world.alarms.length > 0 && 'an alarm',
    [...faultsOfVoters(world).values()].some((fault) => isKnownWrong(world, fault)) && 'a voter with wrong data',
    pods.length !== desired.size && `${pods.length} pods`,
    pods.filter(({ facts }) => facts.data === 'claim').length !== recorded.length && `${recorded.length} volumes`,
    desired.updatePolicy === 'Replace' && pods.some(({ facts }) => facts.data !== desired.storage) && 'other storage',
    pods.some(({ facts }) => facts.boot === 'new' || facts.boot === 'existing') &&
      'a voter with a bootstrap configuration',
    pods.some(({ facts }) => !facts.markedVoter || facts.memberId === '') && 'an unmarked voter',
    pods.some((pod) => !isSameVersion(runningVersionOf(pod), desired.version)) && 'an old version',
    pods.some(({ facts }) => facts.image !== desired.image) && 'an old image',
    world.status?.clusterID !== world.etcd.clusterId && 'no identity in status',
    world.inAnnotation?.clusterId !== world.etcd.clusterId && 'no identity in the annotation',
  ].filter((text) => text !== false);
  if (wrong.length > 0) throw new Error(`at rest with ${wrong.join(', ')}\n${world.log.slice(-60).join(' ')}`);
  return 'steady';
}
