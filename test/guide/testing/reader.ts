// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@etcd-operator/kube-lab';
import { ensurePart } from '@etcd-operator/tools';
import { objectStoreImages, objectStoreManifest, writeAwsFiles } from './object-store.ts';
import { operatorImages, writeLaunchers } from './operator-image.ts';
import { actionsOf } from './page.ts';

const repository = join(import.meta.dirname, '../../..');

/** What is looked at when something goes wrong. */
const kinds = 'etcdclusters,etcdbackups,etcdrestores';

/** Somebody with kubectl, a Kubernetes, and this repository, who follows the guide from top to bottom. */
export class Reader implements AsyncDisposable {
  readonly #folder: string;
  readonly #lab: Lab;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: string, lab: Lab, path: string) {
    this.#folder = folder;
    this.#lab = lab;
    this.#env = { PATH: path, HOME: folder, KUBECONFIG: lab.kubeconfigPath };
  }

  static async sitDown(): Promise<Reader> {
    const [kubectl, busybox, ...etcds] = await Promise.all([
      ensurePart('kubectl'),
      ensurePart('busybox'),
      ...(['3.5', '3.6'] as const).map((minor) => ensurePart(`etcd@${minor}`, { fromPath: false })),
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'guide-'));
    for (const name of ['example', 'deploy']) await symlink(join(repository, name), join(folder, name));
    const sets = [etcdImages(etcds, busybox), busyboxImages(busybox), operatorImages(), await objectStoreImages()];
    const images = createImageTable(sets);
    const lab = await startLab({ nodes: 3, images });
    const programs = [dirname(kubectl.programs['kubectl'] ?? ''), writeLaunchers(join(folder, 'bin'))];
    const reader = new Reader(folder, lab, [...programs, process.env['PATH']].join(':'));
    await writeAwsFiles(folder);
    await reader.#type(`kubectl apply -f - <<'END'${objectStoreManifest}END`, 'the object store');
    await reader.#type('kubectl wait --for=condition=Ready --timeout=60s pod/s3', 'the object store');
    return reader;
  }

  /**
   * Does everything a page says, in the sections asked for, and returns how many things that were. Rejects with what went
   * wrong, and in which line of the page.
   */
  async follow(page: string, isAskedFor: (section: string) => boolean = () => true): Promise<number> {
    const actions = actionsOf(join(repository, page)).filter(({ section }) => isAskedFor(section));
    for (const action of actions) {
      switch (action.kind) {
        case 'save':
          await writeFile(join(this.#folder, action.file), action.text);
          break;
        case 'type':
          await this.#type(action.script, `${page}:${action.line}`);
          break;
      }
    }
    return actions.length;
  }

  async #type(script: string, where: string): Promise<void> {
    const { status, output } = await this.#run(script);
    if (status === 0) return;
    const seen = await this.#run(
      `kubectl get pods; kubectl logs --tail 8 -l 'name in (etcd-operator, etcd-restore-operator)'; kubectl get ${kinds} -o jsonpath='{range .items[*]}{.kind} {.metadata.name} {.status}{"\\n"}{end}'`,
    );
    throw new Error(`${where}: what is typed there ends with status ${status}:\n${output}\nSeen then:\n${seen.output}`);
  }

  async #run(script: string): Promise<{ readonly status: number | null; readonly output: string }> {
    const child = spawn('bash', ['-e', '-u', '-x', '-o', 'pipefail', '-c', script], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
    });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, output: output.join('') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lab.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
