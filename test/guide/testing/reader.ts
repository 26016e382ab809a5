// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { sitDownAtPlayground } from '../../tutorials/testing/playground-desk.ts';
import { actionsOf } from './page.ts';

const repository = join(import.meta.dirname, '../../..');

/** Longer than any wait on a page: a runbook waits six minutes for a retry after five. */
const longestCommand = 600_000;

/** What is printed after a failure. */
const kinds = 'etcdclusters,etcdbackups,etcdrestores';

type Desk = Awaited<ReturnType<typeof sitDownAtPlayground>>;

/** A reader with this repository and helm, in the shell of a playground, who follows the guide from top to bottom. */
export class Reader implements AsyncDisposable {
  readonly #desk: Desk;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(desk: Desk, path: string) {
    this.#desk = desk;
    this.#env = { ...desk.env, PATH: path };
  }

  /** @param words the arguments of `npm start --` */
  static async sitDown(...words: readonly string[]): Promise<Reader> {
    const helm = (await ensurePart('helm')).programs['helm'] ?? '';
    const desk = await sitDownAtPlayground(...words);
    await symlink(join(repository, 'deploy'), join(desk.folder, 'deploy'));
    return new Reader(desk, `${desk.env['PATH']}:${dirname(helm)}`);
  }

  /**
   * Carries out a page, or the given sections, and returns the number of actions. Rejects with the error and its line
   * in the page.
   */
  async follow(page: string, isAskedFor: (section: string) => boolean = () => true): Promise<number> {
    const actions = actionsOf(join(repository, page)).filter(({ section }) => isAskedFor(section));
    for (const action of actions) {
      switch (action.kind) {
        case 'save':
          await writeFile(join(this.#desk.folder, action.file), action.text);
          break;
        case 'type':
          await this.type(action.script, `${page}:${action.line}`);
          break;
      }
    }
    return actions.length;
  }

  /** Types a command that is on no page, such as one that causes a runbook's situation; resolves with its output. */
  async type(script: string, where = script): Promise<string> {
    const { status, output, printed } = await this.#run(script);
    if (status === 0) return printed;
    const seen = await this.#run(
      `kubectl get pods -o wide; kubectl logs --tail 8 -l 'name in (etcd-operator, etcd-restore-operator)'; kubectl get ${kinds} -o jsonpath='{range .items[*]}{.kind} {.metadata.name} {.status}{"\\n"}{end}'`,
    );
    throw new Error(`${where}: what is typed there ends with status ${status}:\n${output}\nSeen then:\n${seen.output}`);
  }

  /** `npm run lab -- WORDS`, in a second terminal. */
  lab(...words: readonly string[]): Promise<string> {
    return this.type(`'${process.execPath}' '${join(repository, 'apps/playground/src/lab.ts')}' ${words.join(' ')}`);
  }

  async #run(script: string) {
    const child = spawn('bash', ['-e', '-u', '-x', '-o', 'pipefail', '-c', script], {
      cwd: this.#desk.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: longestCommand,
    });
    const output: string[] = [];
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
    child.stdout.on('data', (text: string) => printed.push(text));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, output: output.join(''), printed: printed.join('') };
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#desk[Symbol.asyncDispose]();
  }
}
