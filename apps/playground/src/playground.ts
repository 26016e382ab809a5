// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Forward, Lab } from '@etcd-operator/kube-lab';
import { clientServiceName } from '@etcd-operator/operator';
import { type Clock, systemClock } from '@etcd-operator/ports';
import { startControlServer } from './control/control-server.ts';
import { type Entry, register } from './control/registry.ts';
import type { Request } from './control/request.ts';
import { applyObjects, objectsIn } from './lab/apply-objects.ts';
import { setUpBackups } from './lab/backup-set-up.ts';
import { Backups } from './lab/backups.ts';
import { Doings } from './lab/doings.ts';
import { EtcdVersions } from './lab/etcd-versions.ts';
import { exampleCluster, namespace } from './lab/example-cluster.ts';
import { followLab } from './lab/feeds.ts';
import { layOutTools, runOperator, startLabOn } from './lab/start-lab.ts';
import { LiveScreen } from './live-screen.ts';
import { isAvailable } from './model/state.ts';
import { view } from './model/view.ts';
import type { PlaygroundOptions } from './options.ts';
import { runPlainLines } from './plain-lines.ts';
import { Session } from './session.ts';
import { runShell } from './shell.ts';
import { plainText } from './terminal/line.ts';

/** What the playground has of the machine. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (line: string) => void;
  /** Absent if this is no terminal, or lines are wanted. */
  readonly terminal: { readonly input: ReadStream; readonly output: WriteStream } | undefined;
  readonly clock?: Clock;
}

/** A Kubernetes in this process tree, the operator in it, and a real etcd cluster that it makes and keeps. */
export async function runPlayground(
  options: PlaygroundOptions,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const clock = surroundings.clock ?? systemClock;
  const started = clock.monotonic();
  const end = new AbortController();
  const work = AbortSignal.any([signal, end.signal]);
  let doings: Doings | undefined;
  let screen: LiveScreen | undefined;
  let entry: Entry | undefined;
  const session = new Session({
    clock,
    started,
    perform: (action) => {
      if (!doings) throw new Error('the lab is not up yet');
      return doings.perform(action, work);
    },
    openShell: async () => {
      const there = entry;
      if (there) await screen?.lend(() => runShell(there, surroundings.env));
    },
  });
  const { terminal } = surroundings;
  screen =
    terminal && new LiveScreen(session, { ...terminal, withColour: hasColour(surroundings.env), clock, signal: work });
  const shown = screen
    ? screen.run()
    : runPlainLines(session, { write: surroundings.write, once: options.once, signal: work });
  const running = play(options, surroundings, session, work, (made) => {
    doings = made.doings;
    entry = made.entry;
  });
  try {
    // Whatever fails first ends the rest; a person who leaves ends everything.
    await Promise.race([shown, running.then(() => shown)]);
  } finally {
    end.abort(new Error('the playground ends'));
    await shown.catch(() => undefined);
    await running.catch(() => undefined);
  }
}

interface Made {
  readonly doings: Doings;
  readonly entry: Entry;
}

/** Sets everything up, and stays until the signal ends it; then everything goes. */
async function play(
  options: PlaygroundOptions,
  { env }: Surroundings,
  session: Session,
  signal: AbortSignal,
  made: (made: Made) => void,
): Promise<void> {
  const report = (line: string) => session.note(line, 'quiet');
  const versions = await EtcdVersions.start(options.version, { signal, report });
  session.note(`etcd ${versions.first.version} is at hand`, 'quiet');
  await using lab = await startLabOn(options.port, versions.images, report);
  session.note(`kube-lab is up: ${lab.nodes.length} nodes, API server at ${lab.url}`, 'quiet');
  const operator = runOperator(
    lab,
    ({ message, fields }) => session.note(`operator: ${message} ${fields['error'] ?? ''}`, 'bad'),
    signal,
  );
  const name = await createObjects(lab, versions, options, signal);
  session.note(`EtcdCluster ${name} is created`, 'quiet');
  await using forward = await lab.forward({ service: clientServiceName(name), namespace }, 2379);
  const cuts = new Set<string>();
  const following = followLab({
    client: lab.client(),
    cluster: name,
    isCut: (node) => cuts.has(node),
    send: session.send,
    signal,
  });
  const parts = [operator, following];
  if (!options.once) {
    const store = { ready: Promise.resolve() };
    const doings = new Doings({
      lab,
      versions,
      cluster: () => name,
      store: new Backups(lab, () => store.ready),
      onCut: (nodes) => {
        cuts.clear();
        for (const node of nodes) cuts.add(node);
        const { nodes: known } = session.state;
        session.send({ kind: 'nodes', nodes: known.map((node) => ({ ...node, isCut: cuts.has(node.name) })) });
      },
    });
    const entry = await entryOf(lab, versions, forward);
    made({ doings, entry });
    store.ready = whenAvailable(session).then(() => setUpBackups({ lab, images: versions.images, signal, report }));
    store.ready.then(
      () => session.note('backups can be made: an S3 server, its Secret aws, and both operators are there', 'quiet'),
      (error: unknown) => signal.aborted || session.note(`no backups here: ${String(error)}`, 'bad'),
    );
    parts.push(serveOthers(entry, session, env, signal));
    session.send({ kind: 'hints', hints: hintsOf(entry) });
  }
  await Promise.all(parts).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** The first members are not held up by what comes later. */
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

/** Creates the example, or what the file holds; resolves with the name of the cluster to look at. */
async function createObjects(
  lab: Lab,
  versions: EtcdVersions,
  { size, file }: PlaygroundOptions,
  signal: AbortSignal,
): Promise<string> {
  const text = file === undefined ? undefined : await readFile(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  const objects = text === undefined ? [exampleCluster(size, versions.first.version)] : objectsIn(text);
  const cluster = objects.find(({ kind }) => kind === 'EtcdCluster');
  if (!cluster) throw new Error(`${file} holds no EtcdCluster`);
  await applyObjects(objects, { transport: lab.server.transport(), signal });
  return cluster.metadata?.name ?? '';
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

function hintsOf({ kubeconfig, endpoint, bin }: Entry): readonly string[] {
  return [
    `export KUBECONFIG=${kubeconfig} PATH=${bin}:$PATH`,
    'kubectl get etcd,pods,services    kubectl etcd status',
    `etcdctl --endpoints ${endpoint} put hello world`,
    'npm run lab -- --help             kill, cut, blank, reboot, apply from a second terminal',
  ];
}

/** Takes commands from other terminals until the signal ends it. */
async function serveOthers(
  entry: Entry,
  session: Session,
  env: Surroundings['env'],
  signal: AbortSignal,
): Promise<void> {
  const answer = (request: Request, say: (line: string) => void, gone: AbortSignal) =>
    reply(session, request, say, AbortSignal.any([gone, signal]));
  const close = await startControlServer({ path: entry.socket, answer });
  const withdraw = await register(entry, env);
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
  await withdraw();
  await close();
}

async function reply(
  session: Session,
  request: Request,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (request.do === 'status') {
    for (const line of view(session.state, { columns: 120, rows: 40 }).slice(0, -1)) say(plainText(line));
    return;
  }
  if (request.do === 'events') return tellEvents(session, say, signal);
  const { ok, words } = await session.act(request);
  if (!ok) throw new Error(words);
  say(words);
}

/** What has happened so far, then what happens. */
async function tellEvents(session: Session, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  for (const { at, text } of session.state.notes) say(`${at.toFixed(1)} s  ${text}`);
  const stop = session.listen((state, message) => {
    if (message.kind === 'note') say(`${state.now.toFixed(1)} s  ${message.text}`);
  });
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
  stop();
}

function hasColour(env: Surroundings['env']): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
