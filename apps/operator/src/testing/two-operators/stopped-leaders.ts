// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openStore } from '@operator-parts/blob';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { isKubeError, type Lease, leases, loadConfig, type Pem, secrets } from '@operator-parts/kube';
import { type Random, systemClock } from '@operator-parts/ports';
import { type EtcdBackup, type EtcdBackupSpec, etcdBackups } from '../../api/etcd-backup.ts';
import { readManifest } from '../../storage/read-manifest.ts';
import { OperatorLab } from '../operator-lab.ts';
import type { ChildOptions } from './operator-child.ts';
import { type ProxyTarget, RecordingProxy } from './recording-proxy.ts';
import { RecordingRelay } from './recording-relay.ts';
import type { RequestRecord } from './request-record.ts';

/** One process of the operator, with its addresses and state. */
interface Operator extends ChildOptions {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  /** True once the process has been leader: such a process ends when it loses its leases. */
  hasLed: boolean;
  log: string;
}

/** A leader that was stopped, and the leases that it held. */
export interface Round {
  readonly who: string;
  readonly leases: readonly string[];
  /** The servers from which it had requested a change within 50 ms before it was stopped. */
  readonly busyWith: readonly RequestRecord['to'][];
  /** When the first of its leases got another holder, by that holder's clock. */
  readonly takenOver: number;
}

const program = fileURLToPath(new URL('operator-child.ts', import.meta.url));
const namespace = 'default';
const leaseNames = ['etcd-operator', 'etcd-backup-operator'] as const;
const cluster = 'kept';
const backups = ['one', 'two', 'three'] as const;

/**
 * Two operators on real etcd and a real store. The leader is stopped by SIGSTOP for longer than its lease, and then continues. Changes that
 * a process requests from the API server, members and the store are recorded where they arrive.
 */
export class StoppedLeaders implements AsyncDisposable {
  readonly records: RequestRecord[] = [];
  readonly rounds: Round[] = [];
  readonly ground: OperatorLab;
  readonly #s3: S3Server;
  readonly #target: ProxyTarget;
  readonly #random: Random;
  readonly #operators: Operator[] = [];
  readonly #doors: { close(): void }[] = [];
  #started = 0;
  #storePort = 0;

  private constructor(ground: OperatorLab, s3: S3Server, target: ProxyTarget, random: Random) {
    this.ground = ground;
    this.#s3 = s3;
    this.#target = target;
    this.#random = random;
  }

  static async start(random: Random): Promise<StoppedLeaders> {
    const [ground, s3] = await Promise.all([OperatorLab.start(), startVersitygw()]);
    // The operator has installed the CRDs; the processes do the rest.
    await ground.create(cluster, { size: 1 });
    await ground.settled(cluster);
    await ground.stopOperator();
    const config = await loadConfig({ env: {}, kubeconfig: ground.lab.kubeconfigPath });
    const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = config;
    const target = { url: ground.lab.url, tls: { ca: textOf(ca), cert: textOf(cert), key: textOf(key) } };
    const scene = new StoppedLeaders(ground, s3, target, random);
    await scene.#startOperator();
    await scene.#makeBackups();
    return scene;
  }

  /** Stops a leader at a random moment while there is work, lets it continue when another process leads, and replaces it. */
  async round(): Promise<void> {
    await this.#keepTwo();
    await this.#makeWork();
    const holder = await this.ground.until('a leader', async () => {
      const lease = await this.#lease(leaseNames[this.#pick(2)] ?? leaseNames[0]);
      return this.#operators.find(({ identity, hasLed }) => hasLed && identity === lease?.spec?.holderIdentity);
    });
    await this.#someMoment(holder);
    holder.process.kill('SIGSTOP');
    const stopped = Date.now();
    const held = await this.#leasesOf(holder.identity);
    if (held.length === 0) {
      // The process has ended by itself, or no longer leads.
      holder.process.kill('SIGCONT');
      return;
    }
    const last = this.records.filter(({ who, at }) => who === holder.identity && stopped - at < 50);
    const taken = await Promise.all(held.map((name) => this.#takenFrom(holder.identity, name)));
    await systemClock.sleep(this.#pick(300));
    holder.process.kill('SIGCONT');
    this.rounds.push({
      who: holder.identity,
      leases: held,
      busyWith: [...new Set(last.map(({ to }) => to))],
      takenOver: Math.min(...taken),
    });
    this.#operators.splice(this.#operators.indexOf(holder), 1);
    await this.#ended(holder);
  }

  /** Changes that stopped leaders requested after another process had taken over. */
  late(): readonly string[] {
    return this.rounds.flatMap(({ who, takenOver }) =>
      this.records
        .filter((record) => record.who === who && record.at >= takenOver)
        .map(
          ({ to, what, at, status }) => `${who} to ${to}: ${what} (${status}) ${at - takenOver} ms after the take-over`,
        ),
    );
  }

  /** The changes that later stopped leaders requested from each server, and which requests were recent when each was stopped. */
  summary(): string {
    const count = (items: readonly string[]) =>
      [...Map.groupBy(items, (item) => item)].map(([item, { length }]) => `${length} ${item}`).join(', ');
    const stopped = new Set(this.rounds.map(({ who }) => who));
    const changes = this.records.filter(({ who }) => stopped.has(who));
    const leases = this.rounds.flatMap(({ leases: names }) => names);
    return [
      `${this.rounds.length} leaders stopped, which held ${count(leases)}`,
      `their changes: ${count(changes.map(({ to }) => to))}`,
      `changes less than 50 ms before the stop: ${count(this.rounds.flatMap(({ busyWith }) => busyWith ?? []))}`,
      `changes after the take-over: ${this.late().length}`,
    ].join('\n');
  }

  /** Waits until the cluster is settled, and checks that every stored backup is complete. */
  async comesToRest(): Promise<void> {
    await this.#keepTwo();
    await this.ground.change(cluster, { size: 3 });
    await this.ground.settled(cluster, 300_000);
    const { endpoint, bucket, accessKeyId, secretAccessKey } = this.#s3;
    const store = await openStore({
      ...{ kind: 's3', bucket, endpoint, forcePathStyle: true, policy: { allowLocal: true } },
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
    });
    for (const name of backups) {
      await this.#backups.patch({ namespace, name }, { type: 'merge', patch: { spec: { backupPolicy: null } } });
    }
    const { signal } = new AbortController();
    const broken: string[] = [];
    for await (const { key, bytes } of store.list('series/')) {
      const manifest = key.endsWith('.json') ? undefined : await readManifest(store, key, signal);
      if (manifest && manifest.bytes !== bytes) broken.push(key);
    }
    store.close();
    if (broken.length > 0) throw new Error(`backups are not what their manifests say: ${broken.join()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const operator of this.#operators.splice(0)) {
      operator.process.kill('SIGKILL');
      await operator.exited;
    }
    for (const door of this.#doors) door.close();
    await this.ground[Symbol.asyncDispose]();
    await this.#s3.stop();
  }

  async #startOperator(): Promise<void> {
    const number = ++this.#started;
    const identity = `operator-${number}`;
    const record = (entry: RequestRecord) => this.records.push(entry);
    // All processes use the same name and port for the store, but the name resolves to a separate address for each process.
    const address = `127.0.${1 + Math.floor(number / 250)}.${1 + (number % 250)}`;
    const [api, members, store] = await Promise.all([
      RecordingProxy.start({ to: 'kubernetes', who: identity, target: this.#target, record }),
      RecordingRelay.start({ lab: this.ground.lab, who: identity, record }),
      RecordingProxy.start({
        ...{ to: 'store', who: identity, record, target: { url: this.#s3.endpoint } },
        listen: { host: address, port: this.#storePort },
      }),
    ]);
    this.#storePort = store.port;
    this.#doors.push(api, members, store);
    const options: ChildOptions = { identity, api: api.port, members: members.port, store: address };
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'pipe'] });
    const operator: Operator = { ...options, process: child, exited: once(child, 'exit'), hasLed: false, log: '' };
    child.stderr?.on('data', (chunk: Buffer) => {
      operator.log = (operator.log + chunk.toString()).slice(-5_000);
      operator.hasLed ||= operator.log.includes('became leader');
    });
    this.#operators.push(operator);
  }

  /** Starts processes until there are two again: on a busy machine, a process that could not renew its lease in time ends by itself. */
  async #keepTwo(): Promise<void> {
    for (const operator of [...this.#operators]) {
      const { exitCode, signalCode } = operator.process;
      if (exitCode !== null || signalCode !== null) this.#operators.splice(this.#operators.indexOf(operator), 1);
    }
    while (this.#operators.length < 2) await this.#startOperator();
  }

  /** Waits until the process notices that it has lost its leases, and ends. */
  async #ended(operator: Operator): Promise<void> {
    const { identity, process: child, exited } = operator;
    const patience = new AbortController();
    const limit = systemClock.sleep(60_000, patience.signal).then(
      () => {
        child.kill('SIGKILL');
        throw new Error(`${identity} goes on without its leases: ${operator.log}`);
      },
      () => undefined,
    );
    await Promise.race([exited, limit]);
    patience.abort();
  }

  async #makeBackups(): Promise<void> {
    const { accessKeyId, secretAccessKey, region, bucket } = this.#s3;
    const data = {
      credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      config: `[default]\nregion = ${region}\n`,
    };
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const client = this.ground.lab.client();
    await client.resource(secrets).create({ metadata: { name: 'aws', namespace }, data: Object.fromEntries(encoded) });
    for (const name of backups) {
      const spec: EtcdBackupSpec = {
        etcdEndpoints: [`http://${cluster}-client.${namespace}.svc:2379`],
        storageType: 'S3',
        s3: {
          path: `${bucket}/series/${name}`,
          awsSecret: 'aws',
          endpoint: `http://store.test:${this.#storePort}`,
          forcePathStyle: true,
        },
        backupPolicy: { backupIntervalInSecond: 1, maxBackups: 2 },
      };
      const backup: EtcdBackup = {
        ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup', spec },
        metadata: { name, namespace },
      };
      // The first process installs the CRD.
      await this.ground.until(`create ${name}`, () => this.#backups.create(backup).catch(ignoreNotFound));
    }
  }

  /** Changes the size, or deletes a pod that has to be replaced; backups are due every second anyway. */
  async #makeWork(): Promise<void> {
    const { spec, status } = await this.ground.get(cluster);
    const isAvailable = status?.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True');
    // A running change is completed first: otherwise the cluster would only start changes and never reach the later steps.
    if (!isAvailable || status?.readySize !== spec.size || status.size !== spec.size) return;
    const pods = await this.ground.pods(cluster);
    const name = pods[this.#pick(pods.length)]?.metadata?.name;
    // With three healthy voters, one may be lost.
    if (spec.size === 3 && pods.length === 3 && name !== undefined && this.#pick(2) === 0)
      await this.ground.deletePod(name, 0);
    else await this.ground.change(cluster, { size: spec.size === 1 ? 3 : 1 });
  }

  /** Waits for the moment right after the operator has requested a change, or for a random time. */
  async #someMoment({ identity }: Operator): Promise<void> {
    const kinds = ['kubernetes', 'etcd', 'store', undefined] as const;
    const kind = kinds[this.#pick(kinds.length)];
    const from = this.records.length;
    const end = systemClock.monotonic() + (kind ? 3000 : this.#pick(1500));
    while (systemClock.monotonic() < end) {
      const isThere = this.records.slice(from).some(({ who, to }) => who === identity && to === kind);
      if (isThere) return;
      await systemClock.sleep(1);
    }
  }

  async #leasesOf(identity: string): Promise<readonly string[]> {
    const found = await Promise.all(leaseNames.map((name) => this.#lease(name)));
    return leaseNames.filter((_name, index) => found[index]?.spec?.holderIdentity === identity);
  }

  /** When another process acquired the lease, by that process's clock. */
  #takenFrom(identity: string, name: string): Promise<number> {
    return this.ground.until(
      `${name} is taken over from ${identity}`,
      async () => {
        const { holderIdentity, acquireTime } = (await this.#lease(name))?.spec ?? {};
        return holderIdentity && holderIdentity !== identity ? Date.parse(acquireTime ?? '') : undefined;
      },
      60_000,
      async () => this.#operators.map((operator) => `${operator.identity}: ${operator.log}`).join('\n'),
    );
  }

  #lease(name: string): Promise<Lease | undefined> {
    const found = this.ground.lab.client().resource(leases).get({ namespace, name });
    return found.catch(() => undefined);
  }

  #pick(count: number): number {
    return Math.floor(this.#random.next() * count);
  }

  get #backups() {
    return this.ground.lab.client().resource(etcdBackups.resource);
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!isKubeError(error, 'NotFound')) throw error;
}

function textOf(pem: Pem | undefined): string {
  return pem?.kind === 'data' ? pem.pem : '';
}
