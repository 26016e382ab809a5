// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { KubeObject } from '@etcd-operator/kube';
import type { Forward, Lab } from '@etcd-operator/kube-lab';
import { clientServiceName } from '@etcd-operator/operator';
import { type LogRecord, systemClock } from '@etcd-operator/ports';
import type { Entry } from './control/registry.ts';
import { serveOthers } from './control/serve-others.ts';
import { applyObjects, objectsIn } from './lab/apply-objects.ts';
import { setUpBackups } from './lab/backup-set-up.ts';
import { Backups } from './lab/backups.ts';
import { Doings } from './lab/doings.ts';
import { EtcdVersions } from './lab/etcd-versions.ts';
import { exampleCluster, namespace } from './lab/example-cluster.ts';
import { followLab } from './lab/feeds.ts';
import { bringBack, type KeptCluster, keep, loadKept } from './lab/kept-state.ts';
import { objectStore } from './lab/object-store.ts';
import { layOutTools, runOperator, startLabOn } from './lab/start-lab.ts';
import { isAvailable } from './model/state.ts';
import { OptionError, type PlaygroundOptions } from './options.ts';
import type { Session } from './session.ts';

export interface StageOptions extends PlaygroundOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: Session;
  /** Told once things can be done to the lab. */
  readonly onReady: (ready: { readonly doings: Doings; readonly entry: Entry }) => void;
  readonly signal: AbortSignal;
}

/** How long keeping the data may take when the playground ends. */
const keepTimeout = 20_000;

/** Sets everything up, and stays until the signal ends it; then everything goes. */
export async function runStage(options: StageOptions): Promise<void> {
  const { session, signal } = options;
  const report = (line: string) => session.note(line, 'quiet');
  const directory = options.keep === undefined ? undefined : fromCaller(options.keep);
  if (directory !== undefined) await makeFolder(directory);
  const given = options.file === undefined ? undefined : await objectsOf(options.file);
  const kept = directory === undefined ? undefined : await loadKept(directory);
  const versions = await EtcdVersions.start(kept?.spec.version ?? options.version, { signal, report });
  session.note(`etcd ${versions.first.version} is at hand`, 'quiet');
  await using lab = await startLabOn(options.port, versions.images, report);
  session.note(`kube-lab is up: ${lab.nodes.length} nodes, API server at ${lab.url}`, 'quiet');
  const warn = (text: string) => {
    if (!signal.aborted) session.note(`operator: ${text}`, 'bad');
  };
  signal.throwIfAborted();
  const operator = runOperator(lab, (record) => warn(wordsOf(record)), signal);
  // It is waited for at the end; what ends it before that ends what comes in between as well.
  operator.catch(() => undefined);
  const cluster =
    kept?.name ?? (await createObjects(lab, given ?? [exampleCluster(options.size, versions.first.version)], signal));
  if (!kept) session.note(`EtcdCluster ${cluster} is created`, 'quiet');
  await using forward = await lab.forward({ service: clientServiceName(cluster), namespace }, 2379);
  const scene: Scene = { ...options, lab, versions, cluster, kept, directory };
  await Promise.all([operator, ...(await openDoors(scene, forward))]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (directory !== undefined) await keepCluster(scene, directory);
}

interface Scene extends StageOptions {
  readonly lab: Lab;
  readonly versions: EtcdVersions;
  /** The cluster that is shown. */
  readonly cluster: string;
  readonly kept: KeptCluster | undefined;
  readonly directory: string | undefined;
}

/** Shows the lab, and lets people at it; resolves with what goes on until the end. */
async function openDoors(scene: Scene, forward: Forward): Promise<readonly Promise<void>[]> {
  const { lab, versions, cluster, session, signal, env, kept } = scene;
  const cuts = new Set<string>();
  const isCut = (node: string) => cuts.has(node);
  const following = followLab({ client: lab.client(), cluster, isCut, send: session.send, signal });
  const backups = scene.once && !kept ? Promise.resolve() : prepareBackups(scene);
  if (scene.once) return [following];
  const doings = new Doings({
    lab,
    versions,
    cluster: () => cluster,
    store: new Backups(lab, () => backups),
    onCut: (nodes) => {
      cuts.clear();
      for (const node of nodes) cuts.add(node);
      const known = session.state.nodes.map((node) => ({ ...node, isCut: isCut(node.name) }));
      session.send({ kind: 'nodes', nodes: known });
    },
  });
  const entry = await entryOf(lab, versions, forward);
  scene.onReady({ doings, entry });
  session.send({ kind: 'hints', hints: hintsOf(entry) });
  return [following, serveOthers(entry, session, env, signal)];
}

/** The first members are not held up by what they do not need; a cluster that comes back needs the restore operator. */
function prepareBackups({ lab, versions, session, signal, kept, directory }: Scene): Promise<void> {
  const prepare = async () => {
    if (!kept) await whenAvailable(session);
    const report = (line: string) => session.note(line, 'quiet');
    await setUpBackups({ lab, images: versions.images, kept: directory, signal, report });
    session.note('backups can be made: an S3 server, its Secret aws, and both operators are there', 'quiet');
    if (kept) await bringBack(lab, kept, signal);
  };
  const ready = prepare();
  ready.catch((error: unknown) => {
    if (!signal.aborted) session.note(`no backups here: ${String(error)}`, 'bad');
  });
  return ready;
}

function whenAvailable(session: Session): Promise<void> {
  if (isAvailable(session.state.cluster)) return Promise.resolve();
  return new Promise((done) => {
    const stop = session.listen(({ cluster }) => {
      if (!isAvailable(cluster)) return;
      stop();
      done();
    });
  });
}

async function keepCluster({ lab, cluster, session }: Scene, directory: string): Promise<void> {
  const [late, over] = [new AbortController(), new AbortController()];
  systemClock.sleep(keepTimeout, over.signal).then(
    () => late.abort(new Error(`it took more than ${keepTimeout / 1000} s`)),
    () => undefined,
  );
  try {
    await keep({ lab, directory, cluster, signal: late.signal });
    session.note(`the cluster is kept in ${directory}`, 'good');
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`what the cluster holds could not be kept in ${directory}: ${words}`, { cause: error });
  } finally {
    over.abort();
  }
}

/** Creates what is to be played with; resolves with the name of the cluster to look at. */
async function createObjects(lab: Lab, objects: readonly KubeObject[], signal: AbortSignal): Promise<string> {
  await applyObjects(objects, { transport: lab.server.transport(), signal });
  return objects.find(isCluster)?.metadata?.name ?? '';
}

const isCluster = ({ kind }: KubeObject) => kind === 'EtcdCluster';

/** Reads a file before anything is started for it. */
async function objectsOf(file: string): Promise<readonly KubeObject[]> {
  const text = await readFile(fromCaller(file), 'utf8').catch((error: Error) => {
    throw new OptionError(`--file ${file} cannot be read: ${error.message}`, { cause: error });
  });
  const objects = readable(file, text);
  const cluster = objects.find(isCluster);
  if (!cluster) throw new OptionError(`--file ${file} holds no EtcdCluster`);
  const where = cluster.metadata?.namespace ?? namespace;
  if (where !== namespace)
    throw new OptionError(`--file ${file}: the playground looks after the namespace ${namespace}, not ${where}`);
  return objects;
}

function readable(file: string, text: string): readonly KubeObject[] {
  try {
    return objectsIn(text);
  } catch (error) {
    throw new OptionError(`--file ${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The folder above must be there: a word that was mistyped makes no tree of folders. */
async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if ((await stat(directory).catch(() => undefined))?.isDirectory()) return;
    const words = error instanceof Error ? error.message : String(error);
    throw new OptionError(`--keep ${directory}: this folder cannot be made: ${words}`, { cause: error });
  }
}

/** A line of the operator's log for the diary. */
function wordsOf({ message, fields }: LogRecord): string {
  const { error } = fields;
  if (typeof error !== 'object' || error === null) return `${message} ${error ?? ''}`;
  return `${message}: ${'message' in error ? error.message : JSON.stringify(error)}`;
}

/** npm runs scripts in the project's folder and says where they were called. */
function fromCaller(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', path);
}

async function entryOf(lab: Lab, versions: EtcdVersions, { host, port }: Forward): Promise<Entry> {
  return {
    pid: process.pid,
    socket: join(lab.directory, 'control.sock'),
    kubeconfig: lab.kubeconfigPath,
    bin: await layOutTools(lab, versions.first),
    endpoint: `http://${host}:${port}`,
  };
}

const { bucket, awsSecret, endpoint: store } = objectStore;

/** Lines to copy: none is so long that a usual terminal would cut it. */
function hintsOf({ kubeconfig, endpoint, bin }: Entry): readonly string[] {
  return [
    `export KUBECONFIG=${kubeconfig}`,
    `export PATH=${bin}:$PATH`,
    'kubectl get etcd,pods,services    kubectl etcd status',
    `etcdctl --endpoints ${endpoint} put hello world`,
    `kubectl etcd backup create --s3-path ${bucket}/mine --aws-secret ${awsSecret} --wait \\`,
    `  --s3-endpoint ${store} --path-style`,
    'npm run lab -- --help             kill, cut, blank, reboot, apply from a second terminal',
  ];
}
