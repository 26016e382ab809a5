// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensurePart, freePorts, type Part } from '@etcd-operator/tools';
import { systemClock } from '@operator-parts/ports';
import type { TlsMaterial } from '../client/dialer.ts';
import { MemberClient, type MemberClientOptions } from '../client/member-client.ts';
import { MemberEndpoints } from '../http/member-endpoints.ts';
import { labEtcd } from './lab-etcd.ts';

/** How a member is started. */
export interface StartOptions {
  /** @default the version of `labEtcd` */
  readonly version?: string;
  /** `name=url` pairs of a cluster to join; absent: a new cluster. */
  readonly join?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The client port speaks TLS. */
  readonly tls?: { readonly args: readonly string[]; readonly material: TlsMaterial };
  /** Returns as soon as the process runs, without waiting for an answer. */
  readonly unattended?: boolean;
}

/**
 * A real etcd on loopback. The kernel chooses its ports and its name is unique; a start is complete only when the
 * member on the client port has that name, so that a test never talks to another etcd.
 */
export class EtcdProcess {
  readonly name = `m${randomBytes(6).toString('hex')}`;
  readonly clientPort: number;
  readonly peerPort: number;
  readonly metricsPort: number;
  readonly #lab: EtcdLab;
  readonly #directory: string;
  readonly #clients: MemberClient[] = [];
  #child: ChildProcess | undefined;
  #options: StartOptions = {};
  #log = '';

  constructor(lab: EtcdLab, directory: string, [clientPort = 0, peerPort = 0, metricsPort = 0]: readonly number[]) {
    this.#lab = lab;
    this.#directory = directory;
    this.clientPort = clientPort;
    this.peerPort = peerPort;
    this.metricsPort = metricsPort;
  }

  get peerUrl(): string {
    return `http://127.0.0.1:${this.peerPort}`;
  }

  /** The output of the process so far. */
  get log(): string {
    return this.#log;
  }

  /** A client of this member, closed with the lab. */
  client(options: Partial<MemberClientOptions> = {}): MemberClient {
    const material = this.#options.tls?.material;
    const client = new MemberClient({
      target: { host: '127.0.0.1', port: this.clientPort },
      clock: systemClock,
      ...(material ? { tls: () => material } : {}),
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /** Its HTTP endpoints: on the peer port, or on the metrics port. */
  endpoints(port: 'peer' | 'metrics'): MemberEndpoints {
    const target = { host: '127.0.0.1', port: port === 'peer' ? this.peerPort : this.metricsPort };
    return new MemberEndpoints({ target, clock: systemClock });
  }

  /** Starts the process, with the previous options unless others are given. */
  async start(options: StartOptions = this.#options): Promise<this> {
    this.#options = options;
    const part = await ensurePart(`etcd@${options.version ?? labEtcd.minor}`);
    const [program, ...loader] = commandOf(part);
    const child = spawn(program, [...loader, ...this.#arguments(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ETCD_LISTEN_METRICS_URLS: `http://127.0.0.1:${this.metricsPort}`,
        ...options.env,
      },
    });
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-200_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    if (!options.unattended) await this.#answers(child);
    return this;
  }

  /** Ends the process and waits for it. Resolves with its exit status, or the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    child.kill(signal);
    await once(child, 'exit');
    return child.exitCode ?? child.signalCode;
  }

  /** Waits for the process to exit. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  /**
   * Stops the process (SIGSTOP): alive, but without an answer. Resolves when none of its threads runs any more, because
   * a running thread may still answer.
   */
  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    while (await this.#hasRunningThread()) await systemClock.sleep(1);
  }

  /** Continues a stopped process. */
  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async #hasRunningThread(): Promise<boolean> {
    const tasks = `/proc/${this.#child?.pid}/task`;
    const threads = await readdir(tasks).catch(() => []);
    const stats = await Promise.all(
      threads.map((thread) => readFile(`${tasks}/${thread}/stat`, 'utf8').catch(() => '')),
    );
    // Pid, name in brackets, state: T is stopped.
    return stats.some((stat) => stat !== '' && !/\) T /.test(stat));
  }

  closeClients(): void {
    for (const client of this.#clients.splice(0)) client.close();
  }

  #arguments(options: StartOptions): string[] {
    const clientUrl = `${options.tls ? 'https' : 'http'}://127.0.0.1:${this.clientPort}`;
    return [
      `--data-dir=${join(this.#directory, this.name)}`,
      `--name=${this.name}`,
      `--initial-advertise-peer-urls=${this.peerUrl}`,
      `--listen-peer-urls=${this.peerUrl}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--initial-cluster=${options.join ?? `${this.name}=${this.peerUrl}`}`,
      `--initial-cluster-state=${options.join ? 'existing' : 'new'}`,
      `--initial-cluster-token=${this.#lab.token}`,
      ...(options.tls?.args ?? []),
      ...(options.args ?? []),
    ];
  }

  /** Waits until exactly this process answers, or fails with the end of its log. */
  async #answers(child: ChildProcess): Promise<void> {
    const client = this.client();
    const deadline = performance.now() + 60_000;
    while (performance.now() < deadline) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      if (await this.#isOurs(client)) return;
      await systemClock.sleep(50);
    }
    throw new Error(`${this.name} did not come up:\n${this.#log.slice(-2_000)}`);
  }

  async #isOurs(client: MemberClient): Promise<boolean> {
    try {
      const status = await client.maintenance.status({ timeoutMs: 1_000 });
      if (status.isLearner) return this.#log.includes(this.name);
      const { members } = await client.cluster.memberList({ linearizable: false, timeoutMs: 1_000 });
      const own = members.find((member) => member.id === status.memberId);
      if (own && own.name !== '' && own.name !== this.name) throw new Error('another etcd answers on our port');
      return own?.name === this.name && status.leader !== 0n;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('another')) throw error;
      // Members with authentication refuse the list, so the name in the log is used.
      return String(error).includes('user name is empty') && this.#log.includes(this.name);
    }
  }
}

/** Real etcd processes for one test file; all are ended and removed with it. */
export class EtcdLab implements AsyncDisposable {
  readonly token = `lab-${randomBytes(6).toString('hex')}`;
  readonly #directory: string;
  readonly #members: EtcdProcess[] = [];

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(): Promise<EtcdLab> {
    return new EtcdLab(await mkdtemp(join(tmpdir(), 'etcd-lab-')));
  }

  get directory(): string {
    return this.#directory;
  }

  /** A member that has not been started yet. */
  async member(): Promise<EtcdProcess> {
    const member = new EtcdProcess(this, this.#directory, await freePorts(3));
    this.#members.push(member);
    return member;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.#members) member.closeClients();
    await Promise.all(this.#members.map((member) => member.stop('SIGKILL')));
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Dynamically linked programs have their own loader and libraries. */
function commandOf(part: Part): [string, ...string[]] {
  const program = part.programs['etcd'];
  if (program === undefined) throw new Error(`${part.name} has no etcd`);
  const loader = Object.values(part.libraries).find((file) => /\/ld-linux[^/]*$/.test(file));
  if (loader === undefined) return [program];
  const directories = new Set(Object.values(part.libraries).map((file) => dirname(file)));
  return [loader, '--library-path', [...directories].join(':'), program];
}
