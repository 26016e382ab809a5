// SPDX-License-Identifier: Apache-2.0

import {
  annotations,
  fetchContainer,
  readContainer,
  restoreContainer,
  restoreSwitch,
} from '@etcd-operator/operator/testing/restore-pods';
import type { Container, Pod } from '@operator-parts/kube';
import type { DataDirectory, Version } from '../etcd/data-directory.ts';
import type { Exit } from '../etcd/member.ts';
import { aloneCopy, readSurvivor, restoredDirectory } from '../etcd/restore.ts';
import { isMissingImage, versionIn } from './etcd-settings.ts';
import { RestoreAgent } from './restore-agent.ts';
import type { SimPod } from './sim-pod.ts';

/** One of the init containers with which a restore makes the data of a pod. */
export interface InitRun {
  readonly name: string;
  readonly image: string;
  state: 'waiting' | 'running' | 'ended' | 'backoff' | 'unpulled';
  startedAt: number;
  due: number;
  restarts: number;
  failures: number;
  exit: Exit | undefined;
  agent: RestoreAgent | undefined;
}

/** What init containers find around them. */
export interface InitScene {
  readonly now: () => number;
  readonly directories: Map<string, DataDirectory>;
  /** The key in a Secret; undefined if there is none. */
  readonly keyIn: (namespace: string, secret: string) => string | undefined;
  /** What a snapshot with this SHA-256 holds. */
  readonly contentOf: (sha256: string) => readonly Version[] | undefined;
  /** True while there is no room left to write. */
  readonly isFull: (place: string) => boolean;
  readonly note: (line: string) => void;
  /** Told of each directory that a restore tool has made. */
  readonly onRestored: (pod: SimPod, directory: DataDirectory) => void;
}

const known: ReadonlySet<string> = new Set([fetchContainer, restoreContainer, readContainer]);

export function initRunsOf({ spec }: Pod): InitRun[] {
  return (spec?.initContainers ?? [])
    .filter(({ name }) => known.has(name))
    .map(({ name, image = '' }) => ({
      ...{ name, image, state: 'waiting', startedAt: 0, due: 0, restarts: 0, failures: 0 },
      ...{ exit: undefined, agent: undefined },
    }));
}

/** They run again, all of them, when the sandbox is made again. */
export function resetInits({ inits }: SimPod): void {
  for (const run of inits) {
    if (run.startedAt > 0) run.restarts++;
    stopInit(run);
    run.state = 'waiting';
  }
}

export function stopInits({ inits }: SimPod): void {
  for (const run of inits) stopInit(run);
}

function stopInit(run: InitRun): void {
  run.agent?.end();
  run.agent = undefined;
}

/** One look at them, in their order. True once all have ended well. */
export function runInits(pod: SimPod, scene: InitScene): boolean {
  const current = pod.inits.find(({ state, exit }) => state !== 'ended' || exit?.code !== 0);
  if (!current) return true;
  const isBusy = current.state === 'running';
  const isDue = scene.now() >= current.due;
  if (isBusy || !isDue) return false;
  if (isMissingImage(current.image)) {
    Object.assign(current, { state: 'unpulled', due: scene.now() + 60_000 });
    return false;
  }
  if (current.exit && current.exit.code !== 0) current.restarts++;
  Object.assign(current, { state: 'running', startedAt: scene.now(), exit: undefined });
  const container = pod.object.spec?.initContainers?.find(({ name }) => name === current.name);
  if (container) begin(current, container, pod, scene);
  return false;
}

function begin(run: InitRun, container: Container, pod: SimPod, scene: InitScene): void {
  const exit = run.name === fetchContainer ? fetch(run, container, pod, scene) : make(container, pod, scene);
  if (exit) end(run, exit, scene);
}

/** What makes a directory needs room for it. */
function make(container: Container, pod: SimPod, scene: InitScene): Exit {
  if (scene.isFull(pod.place)) return { code: 1, message: 'no space left on device' };
  return container.name === restoreContainer ? restore(container, pod, scene) : read(container, pod, scene);
}

function end(run: InitRun, exit: Exit, { now, note }: InitScene): void {
  stopInit(run);
  Object.assign(run, { state: exit.code === 0 ? 'ended' : 'backoff', exit });
  if (exit.code === 0) return;
  note(`${run.name} ends (${exit.code}): ${exit.message}`);
  run.due = now() + Math.min(300_000, 10_000 * 2 ** run.failures++);
}

/** As the agent does it: see `etcd-restore-agent`. Undefined while it waits for the snapshot. */
function fetch(run: InitRun, container: Container, pod: SimPod, scene: InitScene): Exit | undefined {
  const secret = pod.object.spec?.volumes?.find(({ name }) => name === 'restore-key')?.secret?.secretName ?? '';
  const key = scene.keyIn(pod.namespace, secret);
  const { received } = pod;
  if (scene.directories.has(pod.place)) return done;
  if (key === undefined && (received.isOver || received.sha256 !== undefined)) {
    Object.assign(received, { isOver: true, sha256: undefined });
    return done;
  }
  if (received.sha256 !== undefined) return done;
  if (key === undefined) return { code: 1, message: 'ENOENT: no such file or directory' };
  const agent = new RestoreAgent({
    uid: flagOf(container, '-restore'),
    key: Buffer.from(key, 'hex'),
    note: (line) => scene.note(`agent in ${pod.name}: ${line}`),
    onKept: (sha256) => {
      received.sha256 = sha256;
      end(run, done, scene);
    },
  });
  run.agent = agent;
  return undefined;
}

const done: Exit = { code: 0, message: '' };

/** As `etcdutl snapshot restore` does it. */
function restore(container: Container, pod: SimPod, scene: InitScene): Exit {
  const switchedTo = pod.object.metadata?.annotations?.[annotations.restoreSwitch];
  if (switchedTo === restoreSwitch.done) return done;
  const { directories, contentOf, onRestored, note } = scene;
  if (directories.has(pod.place)) return { code: 1, message: 'Error: data-dir "/var/etcd/data" not empty' };
  const content = pod.received.sha256 === undefined ? undefined : contentOf(pod.received.sha256);
  if (!content) return { code: 1, message: 'Error: open /var/restore/snapshot.db: no such file or directory' };
  const flag = (name: string) => flagOf(container, name);
  const settings = {
    ...{ name: flag('--name'), peerUrls: flag('--initial-advertise-peer-urls').split(','), clientUrls: [] },
    ...{ version: versionIn(container.image), maxLearners: 1, snapshotCount: 10_000 },
  };
  const boot = {
    ...{ initialCluster: flag('--initial-cluster'), state: 'new', token: flag('--initial-cluster-token') },
  };
  const made = restoredDirectory({ settings, boot, bump: Number(flag('--bump-revision') || 0) }, content);
  if ('code' in made) return made;
  directories.set(pod.place, made);
  note(`the restore tool makes ${made.memberId} of cluster ${made.clusterId} in ${pod.name}`);
  onRestored(pod, made);
  return done;
}

/** As the agent does it with -survivor: the volume is only read, and not copied if its log ends at the index of -held. */
function read(container: Container, pod: SimPod, { directories, note }: InitScene): Exit {
  const found = directories.get(pod.volume);
  if (!found) return { code: 0, message: JSON.stringify({ kind: 'blank' }) };
  const reading = readSurvivor(found);
  const isVoter = reading.kind === 'log' && reading.isVoter;
  const isHeld = reading.kind === 'log' && flagOf(container, '-held') === String(reading.index);
  if (isVoter && !isHeld) directories.set(pod.place, aloneCopy(found));
  note(`the agent reads ${pod.name}: ${JSON.stringify(reading)}`);
  const said = isVoter ? reading : { kind: 'unreadable', why: 'it is not a voter of its cluster' };
  return { code: 0, message: JSON.stringify(said) };
}

function flagOf({ command = [] }: Container, name: string): string {
  return command.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** What the kubelet reports of them. */
export function initStatuses({ inits, uid }: SimPod, stamp: (time: number) => string): readonly unknown[] {
  return inits.map((run) => {
    const { name, image, restarts, startedAt, exit } = run;
    const ended = exit && {
      ...{ exitCode: exit.code, reason: exit.code === 0 ? 'Completed' : 'Error', message: exit.message },
      ...{ startedAt: stamp(startedAt), finishedAt: stamp(startedAt) },
    };
    return {
      ...{ name, image, imageID: image, restartCount: restarts, ready: run.state === 'ended' },
      ...(startedAt > 0 && { containerID: `sim://${uid}/${name}/${restarts}` }),
      state: stateOf(run, ended, stamp),
      ...(run.state === 'backoff' && { lastState: { terminated: ended } }),
    };
  });
}

function stateOf({ state, startedAt }: InitRun, ended: unknown, stamp: (time: number) => string): unknown {
  switch (state) {
    case 'running':
      return { running: { startedAt: stamp(startedAt) } };
    case 'ended':
      return { terminated: ended };
    case 'backoff':
      return { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } };
    case 'unpulled':
      return { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } };
    case 'waiting':
      return { waiting: { reason: 'PodInitializing' } };
  }
}
