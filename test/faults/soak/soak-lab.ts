// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ensurePart } from '@etcd-operator/tools';
import { type Deployment, Discovery, type KubeObject, type Pod, podLogs, pods } from '@operator-parts/kube';
import {
  adminIdentity,
  busyboxImages,
  createImageTable,
  etcdImages,
  type Lab,
  startLab,
} from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { parseAllDocuments } from 'yaml';
import type { BackupSite } from '../testing/backups.ts';
import { type Held, probePort, type Sample } from './held.ts';
import { OpenWatches } from './open-watches.ts';
import { shippedImage, withProbe } from './shipped-image.ts';
import { startStore, store, storeImages } from './store.ts';

const installation = fileURLToPath(new URL('../../../deploy/install.yaml', import.meta.url));
const home = 'etcd-operator';
const nodes = 6;

/** A lab in which the operators run as `kubectl apply -f deploy/install.yaml` starts them, with a real store beside them. */
export class SoakLab implements BackupSite, AsyncDisposable {
  readonly namespace = 'default';
  readonly ground: { readonly lab: Lab; readonly s3: typeof store };
  readonly storeEndpoint = store.endpoint;
  readonly #watches: OpenWatches;
  readonly #restarted = new Set<string>();
  readonly #stop: () => Promise<void>;
  readonly #begun = systemClock.monotonic();

  private constructor(lab: Lab, watches: OpenWatches, stop: () => Promise<void>) {
    this.ground = { lab, s3: store };
    this.#watches = watches;
    this.#stop = stop;
  }

  static async open(): Promise<SoakLab> {
    const busybox = await ensurePart('busybox');
    const etcd = await ensurePart('etcd@3.6', { fromPath: false });
    const folder = await mkdtemp(join(tmpdir(), 'soak-'));
    const own = await Promise.all([storeImages(), shippedImage(folder)]);
    const sets = [etcdImages([etcd], busybox), busyboxImages(busybox), ...own];
    const watches = new OpenWatches();
    const lab = await startLab({ nodes, images: createImageTable(sets) });
    const stop = async () => {
      await lab.stop();
      watches[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await startStore(lab);
      await install(lab);
      const soak = new SoakLab(lab, watches, stop);
      await soak.until('the operators are ready', async () =>
        (await soak.operators()).filter(isReady).length === 2 ? true : undefined,
      );
      return soak;
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** Faults of the API server are for the operators, and not for this client. */
  get client() {
    return this.ground.lab.client({ ...adminIdentity, client: 'soak' });
  }

  get until() {
    return until;
  }

  /** Operators that were started again after they had lost their lease. */
  get restarted(): readonly string[] {
    return [...this.#restarted];
  }

  /** Minutes since it was opened. */
  get minutes(): number {
    return (systemClock.monotonic() - this.#begun) / 60_000;
  }

  async operators(): Promise<readonly Pod[]> {
    const { items } = await this.client.resource(pods).list({ namespace: home, labelSelector: `name=${home}` });
    return items;
  }

  /** Nodes that nothing runs on but members: whatever is done to them is done to nobody else. */
  async spareNodes(): Promise<readonly string[]> {
    const { items } = await this.client.resource(pods).list({});
    const taken = items.flatMap(({ metadata, spec }) =>
      metadata?.labels?.['app'] === 'etcd' ? [] : [spec?.nodeName ?? ''],
    );
    return this.ground.lab.nodes.map(({ name }) => name).filter((name) => !taken.includes(name));
  }

  /**
   * What each operator holds now. One that has lost its lease was started again, and counts as another one. Fails if one ended for any
   * other reason.
   */
  async sample(since: number, isAtRest: boolean): Promise<readonly Sample[]> {
    const running = (await this.operators()).filter(isReady);
    const samples = await Promise.all(
      running.map(async (operator) => {
        const { pod, restarts } = identityOf(operator);
        const name = operator.metadata?.name ?? '';
        if (restarts > 0) await this.#hasLostItsLease(name, pod);
        const held = await this.#ask(name).catch((error: unknown) => this.#unlessEnded(operator, error));
        return held ? [{ at: this.minutes - since, pod, ...held, watches: this.#watches.count, isAtRest }] : [];
      }),
    );
    return samples.flat();
  }

  /** One that ends while it is asked says nothing more: it is started again, and then it is found out why it ended. */
  async #unlessEnded(operator: Pod, error: unknown): Promise<undefined> {
    const { pod } = identityOf(operator);
    await this.until(`${pod} is started again, after it was asked what it holds: ${String(error)}`, async () => {
      const now = (await this.operators()).map((one) => identityOf(one).pod);
      return now.includes(pod) ? undefined : true;
    });
  }

  async #hasLostItsLease(name: string, pod: string): Promise<void> {
    if (this.#restarted.has(pod)) return;
    const log = await this.#log(name, { tailLines: 20, previous: true });
    if (!/lease/i.test(log))
      throw new Error(`the operator of ${pod} ended, and not because it lost its lease:\n${log}`);
    this.#restarted.add(pod);
  }

  /** What the operators logged last. */
  async logs(): Promise<string> {
    const logs = (await this.operators()).map(({ metadata }) => this.#log(metadata?.name ?? '', { tailLines: 60 }));
    return (await Promise.all(logs)).join('\n---\n');
  }

  async #log(name: string, options: { readonly tailLines: number; readonly previous?: boolean }): Promise<string> {
    const pieces: Uint8Array[] = [];
    const lines = { ...options, signal: AbortSignal.timeout(30_000) };
    for await (const piece of podLogs(this.ground.lab.server.transport(), { namespace: home, name }, lines))
      pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #ask(pod: string): Promise<Held> {
    const socket = await this.ground.lab.dial({ pod, namespace: home }, probePort);
    return new Promise((resolve, reject) => {
      const request = get({ createConnection: () => socket, timeout: 30_000 }, (response) => {
        json(response).then((held) => resolve(held as Held), reject);
      });
      request.once('error', reject);
      request.once('timeout', () => request.destroy(new Error(`the probe of ${pod} does not answer`)));
    });
  }
}

/** Of one process of a pod. */
function identityOf({ metadata, status }: Pod): { readonly pod: string; readonly restarts: number } {
  const restarts = status?.containerStatuses?.[0]?.restartCount ?? 0;
  const name = metadata?.name ?? '';
  return { pod: restarts === 0 ? name : `${name}#${restarts}`, restarts };
}

/** Asks again and again until there is an answer. */
async function until<T>(what: string, ask: () => Promise<T | undefined>, milliseconds = 300_000): Promise<T> {
  const end = systemClock.monotonic() + milliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.monotonic() > end) throw new Error(`${what}: not within ${milliseconds} ms`);
    await systemClock.sleep(500);
  }
}

/** What the file of the installation says, and the probe. */
async function install(lab: Lab): Promise<void> {
  const discovery = new Discovery(lab.server.transport(), { maxAge: 0 });
  for (const document of parseAllDocuments(await readFile(installation, 'utf8'))) {
    const object = document.toJS() as KubeObject | null;
    if (!object) continue;
    const [group = '', version = ''] = object.apiVersion?.includes('/')
      ? object.apiVersion.split('/')
      : ['', object.apiVersion];
    const resource = await until(`the kind ${object.kind}`, () =>
      discovery.find({ group, version, kind: object.kind ?? '' }),
    );
    await lab
      .client()
      .resource(resource)
      .create(object.kind === 'Deployment' ? probed(object as Deployment) : object);
  }
}

function probed(deployment: Deployment): Deployment {
  const { template, ...spec } = deployment.spec ?? {};
  const containers = template?.spec?.containers.map((one) => ({ ...one, env: [...(one.env ?? []), withProbe] }));
  const pod = { ...template, spec: { ...template?.spec, containers } };
  return { ...deployment, spec: { ...spec, template: pod } } as Deployment;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
