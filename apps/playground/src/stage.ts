// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clientServiceName, counted } from '@etcd-operator/operator';
import type { KubeObject } from '@operator-parts/kube';
import type { Forward, Lab } from '@operator-parts/kube-lab';
import { type LogRecord, systemClock } from '@operator-parts/ports';
import type { Entry } from './control/registry.ts';
import { serveTerminals } from './control/serve-terminals.ts';
import { applyObjects, objectsIn } from './lab/apply-objects.ts';
import { setUpBackups } from './lab/backup-set-up.ts';
import { Backups } from './lab/backups.ts';
import { EtcdVersions } from './lab/etcd-versions.ts';
import { exampleCluster, namespace } from './lab/example-cluster.ts';
import { followLab } from './lab/feeds.ts';
import { bringBack, type KeptCluster, keep, loadKept } from './lab/kept-state.ts';
import { bringBackStore, keepStore } from './lab/kept-store.ts';
import { LabActions } from './lab/lab-actions.ts';
import { layOutAwsFiles, objectStore, startObjectStore } from './lab/object-store.ts';
import { programImages } from './lab/program-images.ts';
import { layOutTools, runOperator, startLabOn } from './lab/start-lab.ts';
import { isAvailable } from './model/state.ts';
import { OptionError, type PlaygroundOptions } from './options.ts';
import type { Session } from './session.ts';

export interface StageOptions extends PlaygroundOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: Session;
  /** Called when actions are possible. */
  readonly onReady: (ready: { readonly actions: LabActions; readonly entry: Entry }) => void;
  readonly signal: AbortSignal;
}

/** The time limit for keeping the data when the playground ends. */
const keepTimeout = 20_000;

/** Sets everything up, and runs until the signal is aborted; then removes everything. */
export async function runStage(options: StageOptions): Promise<void> {
  const { session, signal } = options;
  const report = (line: string) => session.note(line, 'quiet');
  const directory = options.keep === undefined ? undefined : fromCaller(options.keep);
  if (directory !== undefined) await makeFolder(directory);
  const given = options.file === undefined ? undefined : await objectsOf(options.file);
  const kept = directory === undefined ? undefined : await loadKept(directory);
  const versions = await EtcdVersions.start(kept?.spec.version ?? options.version, { signal, report });
  for (const set of programImages({ kept: directory, busybox: versions.busybox })) versions.images.add(set);
  session.note(`etcd versions here: ${versions.present.join(', ')}`, 'quiet');
  await using lab = await startLabOn(options.port, versions.images, report);
  session.note(`kube-lab is up: ${counted(lab.nodes.length, 'node')}, API server at ${lab.url}`, 'quiet');
  signal.throwIfAborted();
  const operator = options.empty ? Promise.resolve() : startOperator(lab, session, signal);
  // Awaited at the end; an earlier failure also ends the steps in between.
  operator.catch(() => undefined);
  const cluster = kept?.name ?? (options.empty ? undefined : await createCluster(lab, given, versions, options));
  const shown = () => session.state.cluster?.metadata?.name ?? cluster;
  // Resolved for each connection, because the cluster may not be known yet.
  const service = {
    namespace,
    get service() {
      return clientServiceName(shown() ?? walkThroughCluster);
    },
  };
  await using forward = await lab.forward(service, 2379);
  const scene: Scene = { ...options, lab, versions, cluster, shown, kept, directory };
  await Promise.all([operator, ...(await openDoors(scene, forward))]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (directory !== undefined && cluster !== undefined) await keepCluster({ ...scene, cluster }, directory);
}

/** The cluster of example/example-etcd-cluster.yaml. */
const walkThroughCluster = 'example-etcd-cluster';

function startOperator(lab: Lab, session: Session, signal: AbortSignal): Promise<void> {
  const warn = (record: LogRecord) => {
    if (!signal.aborted) session.note(`operator: ${wordsOf(record)}`, 'bad');
  };
  return runOperator(lab, warn, signal);
}

/** Creates the example; resolves with the name of the cluster to show. */
async function createCluster(
  lab: Lab,
  given: readonly KubeObject[] | undefined,
  versions: EtcdVersions,
  { size, session, signal }: StageOptions,
): Promise<string> {
  const objects = given ?? [exampleCluster(size, versions.first.version)];
  await applyObjects(objects, { transport: lab.server.transport(), signal });
  const name = objects.find(isCluster)?.metadata?.name ?? '';
  session.note(`EtcdCluster ${name} was created`, 'quiet');
  return name;
}

interface Scene extends StageOptions {
  readonly lab: Lab;
  readonly versions: EtcdVersions;
  /** Name of the cluster that the playground created; undefined if it created none. */
  readonly cluster: string | undefined;
  /** Name of the cluster on the screen. */
  readonly shown: () => string | undefined;
  readonly kept: KeptCluster | undefined;
  readonly directory: string | undefined;
}

/** Shows the lab and accepts actions; resolves with a promise for its end. */
async function openDoors(scene: Scene, forward: Forward): Promise<readonly Promise<void>[]> {
  const { lab, versions, cluster, shown, session, signal, env, kept } = scene;
  const cuts = new Set<string>();
  const isCut = (node: string) => cuts.has(node);
  const following = followLab({ client: lab.client(), cluster, isCut, send: session.send, signal });
  const store = new Backups({
    lab,
    ready: () => prepared,
    tell: (name, path) => session.send({ kind: 'backedUp', cluster: name, path }),
  });
  const prepared = scene.once && !kept ? Promise.resolve() : prepareBackups(scene, store);
  if (scene.once) return [following];
  const actions = new LabActions({
    lab,
    versions,
    cluster: shown,
    store,
    onCut: (nodes) => {
      cuts.clear();
      for (const node of nodes) cuts.add(node);
      const known = session.state.nodes.map((node) => ({ ...node, isCut: isCut(node.name) }));
      session.send({ kind: 'nodes', nodes: known });
    },
  });
  const entry = await entryOf(lab, versions, forward);
  scene.onReady({ actions, entry });
  session.send({ kind: 'hints', hints: hintsOf(entry, scene.empty) });
  return [following, serveTerminals(entry, session, env, signal)];
}

/** The store must not delay the first members; a kept cluster needs the restore operator. */
function prepareBackups(scene: Scene, backups: Backups): Promise<void> {
  const { lab, versions, session, signal, kept, directory, empty } = scene;
  const report = (line: string) => session.note(line, 'quiet');
  const store = { lab, images: versions.images, signal, report };
  const prepare = async () => {
    if (empty) {
      await startObjectStore(store);
      report('an S3 server is running; $AWS_DIR has its credentials and config');
      return;
    }
    if (!kept) await whenAvailable(session);
    await setUpBackups({ ...store, kept: directory });
    if (directory !== undefined) backups.remember(await bringBackStore(lab, directory));
    report('backups can be taken: an S3 server ($AWS_DIR has its credentials) and both operators are running');
    if (kept) await bringBack(lab, kept, signal);
  };
  const ready = prepare();
  ready.catch((error: unknown) => {
    if (!signal.aborted) session.note(`backups are not available: ${String(error)}`, 'bad');
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

async function keepCluster(
  { lab, cluster, session }: Scene & { readonly cluster: string },
  directory: string,
): Promise<void> {
  const [late, over] = [new AbortController(), new AbortController()];
  systemClock.sleep(keepTimeout, over.signal).then(
    () => late.abort(new Error(`saving took more than ${keepTimeout / 1000} s`)),
    () => undefined,
  );
  try {
    await keepStore(lab, directory);
    await keep({ lab, directory, cluster, signal: late.signal });
    session.note(`the cluster and the backups were saved in ${directory}`, 'good');
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`the data of the cluster could not be saved in ${directory}: ${words}`, { cause: error });
  } finally {
    over.abort();
  }
}

const isCluster = ({ kind }: KubeObject) => kind === 'EtcdCluster';

/** Reads a file before anything is started. */
async function objectsOf(file: string): Promise<readonly KubeObject[]> {
  const text = await readFile(fromCaller(file), 'utf8').catch((error: Error) => {
    throw new OptionError(`--file ${file} cannot be read: ${error.message}`, { cause: error });
  });
  const objects = readable(file, text);
  const cluster = objects.find(isCluster);
  if (!cluster) throw new OptionError(`--file ${file} contains no EtcdCluster`);
  const where = cluster.metadata?.namespace ?? namespace;
  if (where !== namespace)
    throw new OptionError(`--file ${file}: the playground manages namespace ${namespace} only, not ${where}`);
  return objects;
}

function readable(file: string, text: string): readonly KubeObject[] {
  try {
    return objectsIn(text);
  } catch (error) {
    throw new OptionError(`--file ${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** The parent folder must exist, so that a mistyped path creates no folders. */
async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if ((await stat(directory).catch(() => undefined))?.isDirectory()) return;
    const words = error instanceof Error ? error.message : String(error);
    throw new OptionError(`--keep ${directory}: the folder cannot be created: ${words}`, { cause: error });
  }
}

/** A line of the operator's log for the screen. */
function wordsOf({ message, fields }: LogRecord): string {
  const { error } = fields;
  if (typeof error !== 'object' || error === null) return `${message} ${error ?? ''}`;
  return `${message}: ${'message' in error ? error.message : JSON.stringify(error)}`;
}

/** npm runs scripts in the project's folder and passes the original folder. */
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
    aws: await layOutAwsFiles(lab),
  };
}

const { bucket, awsSecret } = objectStore;

/** Lines to copy: short enough for a usual terminal. */
function hintsOf({ kubeconfig, endpoint, bin, aws }: Entry, isEmpty: boolean): readonly string[] {
  const first = [`export KUBECONFIG=${kubeconfig}`, `export PATH=${bin}:$PATH`, `export AWS_DIR=${aws}`];
  const walkThrough = [
    'example/rbac/create_role.sh && kubectl create -f example/deployment.yaml',
    'kubectl apply -f example/example-etcd-cluster.yaml',
  ];
  const use = [
    'kubectl get etcd,pods,services    kubectl etcd status',
    `etcdctl --endpoints ${endpoint} put hello world`,
    `kubectl etcd backup create --s3-path ${bucket}/mine --aws-secret ${awsSecret} --wait`,
    'npm run lab -- --help             kill, cut, blank, reboot, apply from a second terminal',
  ];
  return [...first, ...(isEmpty ? walkThrough : use)];
}
