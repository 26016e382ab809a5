// SPDX-License-Identifier: Apache-2.0
/**
 * The pages for somebody who has a release and no clone, as they are in its documentation, typed on a real Kubernetes with the image of the
 * release, a real S3 server and a real Prometheus: alerts fire, and every query of the dashboard has an answer.
 * `npm run test:long -- from-a-release` runs it.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionsOf } from '../guide/testing/page.ts';
import { releasePages } from '../guide/testing/typed-pages.ts';
import { theCluster } from './testing/cluster.ts';
import { startLocalVolumes } from './testing/local-volumes.ts';
import { startStore } from './testing/scenes/s3.ts';
import { openScene, type Scene } from './testing/scenes/scene.ts';

/** What the page says that it takes to come from a release to a cluster with backups and an alert that fires. */
const promisedMinutes = 15;

let home: string;
/** Made outside, because the network of the cluster has no way to what a release is made of. */
const release = process.env['ETCD_OPERATOR_RELEASE'] ?? '';
let site: string;
let programs: string;

beforeAll(async () => {
  if (release === '') throw new Error('run it with "npm run test:long -- from-a-release", which makes a release first');
  home = await mkdtemp(join(tmpdir(), 'from-a-release-'));
  site = join(home, 'site');
  const cluster = await theCluster();
  await mkdir(site);
  const pages = await find('documentation.tar.gz');
  await cluster.run(['tar', '-xzf', pages, '--strip-components=1', '-C', site]);
  // It takes the place of the one from the tree, which has the same name.
  await cluster.importArchive(await find('image.oci.tar'));
  const found = [(await ensurePart('helm')).programs['helm'], (await ensurePart('prometheus')).programs['prometheus']];
  programs = found.map((program = '') => dirname(program)).join(':');
}, 900_000);
afterAll(() => rm(home, { recursive: true, force: true }));

/** The file of the release with this ending. */
async function find(ending: string): Promise<string> {
  const name = (await readdir(release)).find((file) => file.endsWith(ending));
  if (name === undefined) throw new Error(`the release has no file that ends with ${ending}`);
  return join(release, name);
}

/** Somebody in an empty folder, in a namespace of the cluster. */
class Newcomer {
  readonly #scene: Scene;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(scene: Scene, folder: string) {
    this.#scene = scene;
    this.#folder = folder;
    const { kubectlProgram } = scene.cluster;
    const path = [join(folder, 'bin'), programs, dirname(kubectlProgram), '/usr/local/bin:/usr/bin:/bin'].join(':');
    const files = { KUBECONFIG: join(folder, 'kubeconfig'), AWS_DIR: join(folder, 'aws') };
    this.#environment = { ...files, PATH: path, RELEASE: release, HOME: folder };
  }

  static async arrive(scene: Scene): Promise<Newcomer> {
    const folder = await mkdtemp(join(home, 'newcomer-'));
    const newcomer = new Newcomer(scene, folder);
    await writeFile(join(folder, 'kubeconfig'), await readFile(scene.cluster.kubeconfig));
    await newcomer.type(`kubectl config set-context --current --namespace=${scene.namespace}`);
    await mkdir(join(folder, 'aws'));
    const store = await startStore(scene, 'my-bucket');
    // The page creates the Secret itself.
    await scene.kubectl('delete', 'secret', 'aws');
    for (const [name, text] of Object.entries(store.files)) await writeFile(join(folder, 'aws', name), text);
    return newcomer;
  }

  /** Does what a page says in the sections that are asked for; resolves with how many things that were. */
  async follow(page: string, ...sections: readonly string[]): Promise<number> {
    const file = page.replace(/^docs\//, '').replace(/\.md$/, '.html');
    const actions = actionsOf(join(site, file)).filter(({ section }) => sections.includes(section));
    for (const action of actions) {
      if (action.kind === 'save') await writeFile(join(this.#folder, action.file), action.text);
      else await this.type(action.script, `${page}:${action.line}`);
    }
    return actions.length;
  }

  async type(script: string, where = script): Promise<string> {
    const { status, stdout, stderr } = await this.#scene.cluster.run(
      ['bash', '-e', '-u', '-x', '-o', 'pipefail', '-c', script],
      { cwd: this.#folder, environment: this.#environment, timeoutMilliseconds: 500_000 },
    );
    if (status !== 0) throw new Error(`${where}: what is typed there ends with status ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** The values that Prometheus has for a query, by their series. */
  async ask(query: string): Promise<readonly string[]> {
    const printed = await this.type(`promtool query instant http://127.0.0.1:9090 '${query}'`);
    return printed.split('\n').filter((line) => line !== '');
  }

  /** What Prometheus says of itself, for a failure. */
  async seen(): Promise<string> {
    const log = await readFile(join(this.#folder, 'prometheus/log'), 'utf8').catch(() => 'no log of Prometheus');
    const targets = await fetch('http://127.0.0.1:9090/api/v1/targets').then((answer) => answer.text(), String);
    return `${log.split('\n').slice(-20).join('\n')}\n${targets}`;
  }

  /** A Prometheus that a failed page has left. */
  async leave(): Promise<void> {
    if (existsSync(join(this.#folder, 'prometheus/pid'))) await this.type('kill $(cat prometheus/pid) || true');
  }
}

const { install, monitoring } = releasePages;

/** Follows both pages with one of the ways to install until an alert fires, and looks at what Prometheus has before it is stopped. */
async function typePages(
  way: string,
  remove: string,
  inspect: (newcomer: Newcomer, namespace: string) => Promise<void>,
): Promise<void> {
  const cluster = await theCluster();
  await using volumes = await startLocalVolumes(cluster);
  const isDefault = 'storageclass.kubernetes.io/is-default-class=true';
  await cluster.kubectl(['annotate', 'storageclass', volumes.storageClass, isDefault]);
  await using scene = await openScene('newcomer');
  const newcomer = await Newcomer.arrive(scene);
  const started = performance.now();
  try {
    expect(await newcomer.follow(install, 'Unpack', way)).toBe(2);
    const rest = ['A cluster on volumes', 'Backups on a schedule', 'Is all well?'];
    expect(await newcomer.follow(install, ...rest)).toBe(5);
    expect(await newcomer.follow(monitoring, 'With a Prometheus of your own')).toBe(2);
    expect(await newcomer.follow(monitoring, 'Fire a test alert')).toBe(3);
    const minutes = (performance.now() - started) / 60_000;
    process.stdout.write(`${way}: ${minutes.toFixed(1)} minutes from the release to an alert that fires\n`);
    expect(minutes).toBeLessThan(promisedMinutes);
    const firing = await newcomer.ask('ALERTS{alertstate="firing"}');
    expect(firing).toEqual([expect.stringContaining(`name="drill", namespace="${scene.namespace}"`)]);
    await inspect(newcomer, scene.namespace);
    expect(await newcomer.follow(monitoring, 'End the test alert')).toBe(1);
    expect(await newcomer.follow(monitoring, 'Stop')).toBe(1);
    await newcomer.type('kubectl delete etcdbackup,etcdcluster --all --timeout=120s');
  } catch (cause) {
    throw new Error(`${String(cause)}\nSeen then:\n${await newcomer.seen()}`, { cause });
  } finally {
    await newcomer.leave();
    await newcomer.type(remove);
  }
}

/** Nothing has failed that they could count. */
const withoutAnswer = ['Failed backups', 'Reconciliation errors'];

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

test('with the chart: volumes, backups, an alert that fires and names the namespace within 15 minutes, and a dashboard with answers', {
  timeout: 1_200_000,
}, async () => {
  const remove = 'helm uninstall etcd-operator --namespace etcd-operator --wait';
  await typePages('Install with the chart', remove, async (newcomer, namespace) => {
    const { panels } = JSON.parse(await newcomer.type('cat deploy/monitoring/dashboard.json')) as Dashboard;
    const empty: string[] = [];
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const query = expr.replaceAll('$namespace', namespace).replaceAll('$cluster', 'my-cluster|nightly');
        if ((await newcomer.ask(query)).length === 0) empty.push(title);
      }
    }
    expect(empty.filter((title) => !withoutAnswer.includes(title))).toEqual([]);
  });
});

test('with the one file: the same alert within 15 minutes, and all members and the operator are scraped', {
  timeout: 1_200_000,
}, async () => {
  const ours = '--selector app.kubernetes.io/managed-by=etcd-operator-manifests';
  const kinds =
    'deployment,serviceaccount,role,rolebinding,poddisruptionbudget,networkpolicy,clusterrole,clusterrolebinding';
  const remove = `kubectl delete ${kinds} --namespace etcd-operator ${ours}
    kubectl delete -f deploy/admission-policy.yaml`;
  await typePages('Or with the one file', remove, async (newcomer, namespace) => {
    const members = `up{job="etcd-members",namespace="${namespace}",etcd_cluster="my-cluster"} == 1`;
    await newcomer.type(
      `until [ $(promtool query instant http://127.0.0.1:9090 '${members}' | wc -l) = 3 ]; do sleep 2; done`,
    );
    const backups = await newcomer.ask('etcd_operator_backup_last_success');
    expect(backups).toEqual([expect.stringContaining(`name="nightly", namespace="${namespace}"`)]);
  });
});
