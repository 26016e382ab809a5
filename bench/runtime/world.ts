// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { etcdClusters } from '@etcd-operator/operator';
import { type ApiServer, cacheDirectory, startApiServer } from '@etcd-operator/tools';
import { crdOf } from '@operator-parts/crd';
import { clusterTemplate } from './cluster-template.ts';
import { podTemplates } from './pod-templates.ts';
import { type Answer, Side } from './side.ts';

export type LoadedKind = 'pods' | 'clusters';
type Flags = Readonly<Record<string, string | number | boolean>>;

/**
 * The recommended setting for a controller (see the README of controller-runtime): by default Node collects new objects
 * only after 96 MB, which is more than most caches need.
 */
const nodeFlags = ['--max-semi-space-size=4', '--expose-gc'];

/** One real API server for both sides of a benchmark, and functions that start them. */
export class World implements AsyncDisposable {
  readonly #server: ApiServer;
  readonly #folder: string;
  readonly #peer: string;
  readonly #signal: AbortSignal;
  readonly #loaders = new Map<LoadedKind, Side>();

  private constructor(server: ApiServer, folder: string, peer: string, signal: AbortSignal) {
    this.#server = server;
    this.#folder = folder;
    this.#peer = peer;
    this.#signal = signal;
  }

  static async open(report: (line: string) => void, signal: AbortSignal): Promise<World> {
    const peer = await buildPeer(signal);
    const server = await startApiServer({ report });
    const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-bench-'));
    const world = new World(server, folder, peer, signal);
    await writeFile(join(folder, 'ca.crt'), server.ca);
    await writeFile(join(folder, 'pods.json'), JSON.stringify(podTemplates));
    await writeFile(join(folder, 'clusters.json'), JSON.stringify([clusterTemplate]));
    await world.#install();
    return world;
  }

  /** A program of the Go side: see bench/go. */
  theirs(program: string, flags: Flags = {}): Promise<Side> {
    return Side.start([this.#peer, program, ...written(flags)], this.#environment(), this.#signal);
  }

  /** A program of our side: see ours/. */
  ours(program: string, flags: Flags = {}): Promise<Side> {
    const file = join(import.meta.dirname, 'ours', `${program}.ts`);
    const argv = [process.execPath, ...nodeFlags, file, ...written(flags)];
    return Side.start(argv, this.#environment(), this.#signal);
  }

  /** Makes sure that this many objects of a kind exist. */
  async load(kind: LoadedKind, count: number, report: (line: string) => void): Promise<void> {
    let loader = this.#loaders.get(kind);
    if (!loader) {
      loader = await this.theirs('load', { kind, concurrency: 32, template: join(this.#folder, `${kind}.json`) });
      this.#loaders.set(kind, loader);
    }
    const { wall = 0 } = await loader.tell(`until ${count}`);
    report(`${count} ${kind} are stored (${wall.toFixed(1)} s)`);
  }

  /** The sum of a metric of the API server over the series whose labels match. */
  async serverMetric(name: string, labels = /./): Promise<number> {
    const { body } = await this.#server.call('GET', '/metrics', { accept: 'text/plain' });
    let sum = 0;
    for (const line of body.split('\n')) {
      if (line.startsWith(name) && /^[ {]/.test(line.slice(name.length)) && labels.test(line)) {
        sum += Number(line.slice(line.lastIndexOf(' ') + 1));
      }
    }
    return sum;
  }

  /** A ConfigMap named settings in each namespace, for reconcilers to read. */
  async addSettings(): Promise<void> {
    const { body } = await this.#server.call('GET', '/api/v1/namespaces');
    const { items } = JSON.parse(body) as { items: readonly { metadata: { name: string } }[] };
    for (const { metadata } of items) {
      const settings = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings' },
        data: { phase: 'Running' },
      };
      await this.#server.call('POST', `/api/v1/namespaces/${metadata.name}/configmaps`, { body: settings });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const loader of this.#loaders.values()) await loader[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    const { url, token } = this.#server;
    return { BENCH_SERVER: url, BENCH_TOKEN: token, BENCH_CA: join(this.#folder, 'ca.crt') };
  }

  async #install(): Promise<void> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, body } = await this.#server.call('POST', path, { body: crdOf(etcdClusters) });
    if (status !== 201) throw new Error(`the CRD was refused with ${status}: ${body}`);
    const served = `/apis/${etcdClusters.resource.group}/${etcdClusters.resource.version}/${etcdClusters.resource.plural}`;
    while ((await this.#server.call('GET', served)).status !== 200) this.#signal.throwIfAborted();
  }
}

/** Go caches compiled packages, so this takes a second if nothing has changed. */
export async function buildPeer(signal: AbortSignal): Promise<string> {
  const folder = join(cacheDirectory(), 'bench');
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'peer');
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' };
  const cwd = join(import.meta.dirname, '..', 'go');
  await promisify(execFile)('go', ['build', '-trimpath', '-o', program, '.'], { cwd, env, signal });
  return program;
}

function written(flags: Flags): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** The named number in the answer. */
export function numberOf(answer: Answer, name: string): number {
  return answer[name] ?? Number.NaN;
}
