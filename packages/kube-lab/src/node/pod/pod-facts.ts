// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import type { Addresses } from '../../network/addresses.ts';

/** One run of a container, from the decision to start it to its end. Times are wall-clock milliseconds. */
export type ContainerRun =
  /** A start in progress is not reported: until it is done the status is that of `before`. */
  | { readonly state: 'starting'; readonly id: string; readonly hash: string; readonly before?: ContainerFacts }
  | ({ readonly state: 'running' } & StartedRun)
  /** The run is being stopped: the preStop hook, then SIGTERM, then SIGKILL. */
  | ({ readonly state: 'stopping' } & StartedRun)
  | ({
      readonly state: 'exited';
      readonly finishedAt: number;
      readonly exitCode: number;
      readonly signal?: number;
      readonly reason: string;
      readonly message?: string;
    } & StartedRun);

/** The facts of a run whose program has been started. */
export interface StartedRun {
  readonly id: string;
  /** The hash of the container's spec for this run; see `containerHash`. */
  readonly hash: string;
  readonly image: string;
  readonly imageId: string;
  readonly startedAt: number;
  /** The container's number in its pod's log folder: 0, 1, ... */
  readonly attempt: number;
  /** False while the postStart hook runs. */
  readonly hooked: boolean;
}

export type ExitedRun = Extract<ContainerRun, { state: 'exited' }>;

/** Why a container could not be started; shown as its `waiting` state. */
export interface StartProblem {
  readonly reason: string;
  readonly message: string;
  /** The hash of the spec that could not be started. A changed spec is tried at once. */
  readonly hash: string;
  /** The next attempt, in wall-clock milliseconds. */
  readonly retryAt: number;
  /** The reason that the kubelet shows from this time on (`ImagePullBackOff` after `ErrImagePull`). */
  readonly later?: { readonly at: number; readonly reason: string; readonly message: string };
}

/** The current delay of a repeated failure. */
export interface BackOffEntry {
  readonly delay: number;
  readonly updatedAt: number;
  /** The hash of the container's spec. A changed container is restarted without delay. */
  readonly hash: string;
}

/** Results of a running container's probes; undeclared probes are absent. */
export interface ProbeVerdicts {
  readonly startup?: ProbeVerdict;
  readonly readiness?: ProbeVerdict;
  readonly liveness?: ProbeVerdict;
}

export type ProbeVerdict = 'unknown' | 'success' | 'failure';
export type ProbeKind = keyof ProbeVerdicts;

/** All facts about one container of a pod. */
export interface ContainerFacts {
  readonly run?: ContainerRun;
  /** The previous run, for `lastState`. */
  readonly previous?: ExitedRun;
  readonly restartCount: number;
  readonly problem?: StartProblem;
  readonly backOff?: BackOffEntry;
  readonly imageBackOff?: BackOffEntry;
  readonly probes: ProbeVerdicts;
  /**
   * The container must be restarted, whatever the restart policy: its run was stopped for that, or the node was
   * restarted.
   */
  readonly restart: boolean;
}

/** The pod's network and volumes. */
export type PodSetup =
  | { readonly state: 'none' }
  | { readonly state: 'busy' }
  | { readonly state: 'failed'; readonly attempts: number; readonly retryAt: number }
  | { readonly state: 'ready'; readonly sandbox: string; readonly addresses: Addresses };

/** Why and since when a pod is being terminated, and its grace period. */
export interface PodEnding {
  readonly cause: 'deleted' | 'deadline' | 'evicted';
  readonly since: number;
  readonly graceSeconds: number;
  /** For `status.reason` and `status.message`, unless the pod was simply deleted. */
  readonly reason?: string;
  readonly message?: string;
}

/** All facts about one pod, besides the pod itself. Immutable. */
export interface PodFacts {
  /** When this kubelet first saw the pod: `status.startTime`. */
  readonly acceptedAt: number;
  readonly setup: PodSetup;
  readonly containers: ReadonlyMap<string, ContainerFacts>;
  /** True once a regular container was started: init containers do not run again in the same sandbox. */
  readonly initialized: boolean;
  readonly ending?: PodEnding;
}

const untouched: ContainerFacts = { restartCount: 0, probes: {}, restart: false };

/** The facts of a new pod. */
export function newPodFacts(now: number): PodFacts {
  return { acceptedAt: now, setup: { state: 'none' }, containers: new Map(), initialized: false };
}

/** The facts of a container. Before the first change, the initial facts. */
export function containerFacts(facts: PodFacts, name: string): ContainerFacts {
  return facts.containers.get(name) ?? untouched;
}

/** Facts with one container's part replaced. */
export function withContainer(facts: PodFacts, name: string, container: ContainerFacts): PodFacts {
  return { ...facts, containers: new Map(facts.containers).set(name, container) };
}

/**
 * The parts of a container's spec whose change requires a restart in place: its name and image, as in the real kubelet.
 */
export function containerHash(container: Pick<Container, 'name' | 'image'>): string {
  return `${container.name}\n${container.image ?? ''}`;
}

/** An init container with `restartPolicy: Always`: it keeps running beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** Init containers, then the others. */
export function allContainers(pod: Pod): readonly Container[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
}

/** True while a process of this container may exist. */
export function isActive(container: ContainerFacts): boolean {
  return container.run !== undefined && container.run.state !== 'exited';
}

/**
 * The facts after the node lost its power: all runs have ended with an unknown result. Init containers run again in the
 * next sandbox, unless the pod's restart policy is `Never`.
 */
export function afterReboot(pod: Pod, facts: PodFacts, now: number): PodFacts {
  const runAgain = new Set(
    pod.spec?.restartPolicy === 'Never' ? [] : pod.spec?.initContainers?.map((container) => container.name),
  );
  const containers = [...facts.containers].map(([name, own]): [string, ContainerFacts] => {
    const { run } = own;
    if (!run) return [name, own];
    if (run.state === 'exited') return [name, { ...own, restart: own.restart || runAgain.has(name) }];
    const { run: _lost, ...rest } = own;
    if (run.state === 'starting') return [name, { ...rest, probes: {} }];
    const ended = { state: 'exited', finishedAt: now, exitCode: 255, reason: 'Unknown' } as const;
    return [name, { ...rest, run: { ...run, ...ended }, probes: {}, restart: false }];
  });
  return { ...facts, setup: { state: 'none' }, containers: new Map(containers), initialized: false };
}
