// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type S3Server, startVersitygw } from '@etcd-operator/blob/testing';
import { type Deployment, Discovery, type KubeObject, type Pod, pods } from '@etcd-operator/kube';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@etcd-operator/kube-lab';
import { showStoreToPods, storeImages } from '@etcd-operator/operator/testing/store-for-pods';
import { systemClock } from '@etcd-operator/ports';
import { ensurePart } from '@etcd-operator/tools';
import { parseAllDocuments } from 'yaml';
import type { BackupSite } from '../testing/backups.ts';
import { type Held, probePort, type Sample } from './held.ts';
import { OpenWatches } from './open-watches.ts';
import { shippedImage, withProbe } from './shipped-image.ts';

const installation = fileURLToPath(new URL('../../../deploy/install.yaml', import.meta.url));
const home = 'etcd-operator';
const nodes = 6;

/** A lab in which the operators run as `kubectl apply -f deploy/install.yaml` starts them, with a real store beside them. */
export class SoakLab implements BackupSite, AsyncDisposable {
  readonly namespace = 'default';
  readonly ground: { readonly lab: Lab; readonly s3: S3Server };
  readonly storeEndpoint: string;
  readonly #watches: OpenWatches;
  readonly #stop: () => Promise<void>;
  readonly #begun = systemClock.monotonic();

  private constructor(ground: SoakLab['ground'], storeEndpoint: string, watches: OpenWatches, stop: () => Promise<void>) {
    this.ground = ground;
    this.storeEndpoint = storeEndpoint;
    this.#watches = watches;
    this.#stop = stop;
  }

  static async open(): Promise<SoakLab> {
    const [busybox, etcd, s3] = await Promise.all([
      ensurePart('busybox'),
      ensurePart('etcd@3.6', { fromPath: false }),
      startVersitygw(),
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'soak-'));
    const sets = [etcdImages([etcd], busybox), busyboxImages(busybox), storeImages(s3), await shippedImage(folder)];
    const watches = new OpenWatches();
    const lab = await startLab({ nodes, images: createImageTable(sets) });
    const stop = async () => {
      await Promise.all([lab.stop(), s3.stop()]);
      watches[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const site = { lab, until };
      const storeEndpoint = await showStoreToPods({ clusters: site }, s3);
      await install(lab);
      const soak = new SoakLab({ lab, s3 }, storeEndpoint, watches, stop);
      await soak.until('the operators are ready', async () =>
        (await soak.operators()).filter(isReady).length === 2 ? true : undefined,
      );
      return soak;
    } catch (error) {
      await stop();
      throw error;
    }
  }

  get client() {
    return this.ground.lab.client();
  }

  get until() {
    return until;
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

  /** What each operator holds now. Fails if one of them was started again: then nobody knows what it held. */
  async sample(since: number, isAtRest: boolean): Promise<readonly Sample[]> {
    const operators = await this.operators();
    const again = operators.filter(({ status }) => status?.containerStatuses?.some((one) => one.restartCount > 0));
    if (again.length > 0) throw new Error(`started again: ${again.map(({ metadata }) => metadata?.name).join()}`);
    return Promise.all(
      operators.map(async ({ metadata }) => {
        const pod = metadata?.name ?? '';
        const held = await this.#ask(pod);
        return { at: this.minutes - since, pod, ...held, watches: this.#watches.count, isAtRest };
      }),
    );
  }

  /** What the operators logged last. */
  async logs(): Promise<string> {
    const logs = await Promise.all(
      (await this.operators()).map(({ metadata }) => {
        const key = { namespace: home, name: metadata?.name ?? '' };
        return this.client.resource(pods).subresource('log').get(key).catch(String);
      }),
    );
    return logs.map((log) => String(log).split('\n').slice(-60).join('\n')).join('\n---\n');
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
    await lab.client().resource(resource).create(object.kind === 'Deployment' ? probed(object as Deployment) : object);
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
