// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentImageName } from '@etcd-operator/operator/testing/agent-image';
import { type Gate, RecordingProxy, RecordingRelay, type RequestRecord } from '@etcd-operator/operator/testing/doors';
import { memoryOf } from '@etcd-operator/tools';
import { patienceOf } from '@etcd-operator/tools/test/testing';
import { namespaces } from '@operator-parts/kube';
import type { LaggingReplica } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import type { Ground } from './ground.ts';
import type { ChildOptions } from './operator-child.ts';
import { type Strike, staleBy, strikeLasts } from './strike.ts';
import { isWrite, wordsOf } from './write-record.ts';

interface Running {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
}

/** One run: a namespace, the operators in a process of their own, and doors that record what they write and strike once. */
export class Scene implements AsyncDisposable {
  readonly ground: Ground;
  readonly namespace: string;
  /** What was written since `begin`, in words. */
  readonly writes: string[] = [];
  log = '';
  readonly #doors: { close(): void }[] = [];
  #child: Omit<ChildOptions, 'userAgent'> | undefined;
  #running: Running | undefined;
  #started = 0;
  #strike: Strike | undefined;
  #isCounting = false;
  #hasStruck = false;
  #lastWrite = systemClock.monotonic();
  #storePort = 0;
  #stale: LaggingReplica | undefined;
  #consequences: Promise<unknown> = Promise.resolve();

  private constructor(ground: Ground, namespace: string) {
    this.ground = ground;
    this.namespace = namespace;
  }

  static async open(ground: Ground, namespace: string): Promise<Scene> {
    const scene = new Scene(ground, namespace);
    const client = ground.lab.client();
    await client.resource(namespaces).create({ metadata: { name: namespace } });
    const directory = join(ground.directory, namespace);
    await mkdir(directory, { recursive: true });
    const door = { who: namespace, record: () => undefined, gate: scene.#gate };
    const [api, members, store] = await Promise.all([
      RecordingProxy.start({ ...door, to: 'kubernetes', target: ground.apiServer }),
      RecordingRelay.start({ ...door, lab: ground.lab }),
      RecordingProxy.start({ ...door, to: 'store', target: { url: ground.s3.endpoint } }),
    ]);
    scene.#doors.push(api, members, store);
    scene.#storePort = store.port;
    scene.#child = {
      ...{ namespace, api: api.port, members: members.port, agentImage: agentImageName },
      ...{ directory: ground.directory, scratchDirectory: join(directory, 'scratch') },
    };
    scene.startOperator();
    return scene;
  }

  /** Where its operators find the store. */
  get storeEndpoint(): string {
    return `http://127.0.0.1:${this.#storePort}`;
  }

  get client() {
    return this.ground.lab.client();
  }

  get hasStruck(): boolean {
    return this.#hasStruck;
  }

  /** For how long nothing was written, in milliseconds. */
  get quietFor(): number {
    return systemClock.monotonic() - this.#lastWrite;
  }

  /** From now on writes count, and one of them is struck. */
  begin(strike?: Strike): void {
    this.writes.splice(0);
    this.#strike = strike;
    this.#isCounting = true;
  }

  startOperator(): void {
    if (!this.#child) return;
    const options: ChildOptions = { ...this.#child, userAgent: this.#agentOf(++this.#started) };
    const child = spawn(process.execPath, [this.ground.program, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-200_000);
    });
    this.#running = { process: child, exited: once(child, 'exit') };
  }

  /** The most memory that the present operator has had so far, in bytes. */
  peakMemory(): number {
    return memoryOf(this.#running?.process.pid).peak;
  }

  /** As hard as it gets. */
  async killOperator(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.process.kill('SIGKILL');
    await running?.exited;
    this.#note(`killed after ${this.writes.length} writes`);
  }

  /** Asks again and again until there is an answer; fails with what was seen last. */
  async until<T>(what: string, ask: () => Promise<T | undefined>, milliseconds = 120_000): Promise<T> {
    const end = systemClock.monotonic() + patienceOf(milliseconds);
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      const { exitCode } = this.#running?.process ?? {};
      if (typeof exitCode === 'number') throw new Error(`the operator ended by itself: ${this.#recent()}`);
      if (systemClock.monotonic() > end) throw new Error(`${what}: not within ${milliseconds} ms.\n${this.#recent()}`);
      await systemClock.sleep(100);
    }
  }

  /** Waits until nothing has been written for as long as that. */
  async quiet(milliseconds: number): Promise<void> {
    await this.#consequences;
    await this.until('no more writes', async () => (this.quietFor >= milliseconds ? true : undefined), 60_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consequences.catch(() => undefined);
    await this.killOperator();
    this.#stale?.remove();
    for (const door of this.#doors) door.close();
  }

  readonly #gate: Gate = async (record, send) => {
    if (!isWrite(record)) return send();
    this.#lastWrite = systemClock.monotonic();
    if (!this.#isCounting) return send();
    const words = wordsOf(record);
    this.writes.push(words);
    const strike = this.#strike;
    const { of = '' } = strike ?? {};
    if (!words.startsWith(of)) return send();
    const number = this.writes.filter((write) => write.startsWith(of)).length;
    if (strike?.kind === 'stale' && number === Math.max(1, strike.at - staleBy + 1)) this.#freeze();
    if (number !== strike?.at) return send();
    this.#hasStruck = true;
    return this.#struck(strike, record, send);
  };

  async #struck<T>({ kind }: Strike, record: RequestRecord, send: () => Promise<T>): Promise<T | undefined> {
    switch (kind) {
      case 'unanswered':
        await send();
        return undefined;
      case 'unobserved':
        this.#follow(this.#stall());
        return send();
      case 'killed':
        await send();
        this.#follow(this.#replace());
        return undefined;
      case 'stale':
        await send();
        this.#follow(this.#replace().then(() => this.#thaw()));
        return undefined;
      case 'late': {
        const replaced = this.#replace();
        const arrival = replaced
          .then(() => systemClock.sleep(strikeLasts.late))
          .then(send)
          .then(
            () => undefined,
            (error: unknown) => this.#note(`${record.what} was late and failed: ${String(error)}`),
          );
        this.#follow(arrival);
        await arrival;
        return undefined;
      }
    }
  }

  #follow(consequence: Promise<unknown>): void {
    this.#consequences = Promise.all([this.#consequences, consequence]);
    // Whoever waits for them hears of it.
    this.#consequences.catch(() => undefined);
  }

  async #replace(): Promise<void> {
    await this.killOperator();
    this.startOperator();
  }

  /** The next operator sees nothing that comes from now on. */
  #freeze(): void {
    const { faults } = this.ground.lab.server;
    this.#stale = faults.lag({ client: this.#agentOf(this.#started + 1) }, 0);
    this.#stale.freeze();
  }

  async #thaw(): Promise<void> {
    await systemClock.sleep(strikeLasts.world);
    this.#stale?.thaw();
  }

  async #stall(): Promise<void> {
    const { faults } = this.ground.lab.server;
    const stall = faults.stallWatches({ client: this.#agentOf(this.#started) });
    await systemClock.sleep(strikeLasts.world);
    faults.compact();
    stall.remove();
  }

  #agentOf(number: number): string {
    return `operator-${this.namespace}-${number}`;
  }

  #note(line: string): void {
    this.log += `--- ${line}\n`;
  }

  #recent(): string {
    return `${this.writes.length} writes: ${this.writes.slice(-8).join(', ')}\n${this.log.split('\n').slice(-25).join('\n')}`;
  }
}
