// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { type EtcdBackup, etcdBackups, type Manifest, manifestPath, parseManifest } from '@etcd-operator/operator';
import { clusterKey } from './cluster-key.ts';
import type { Simulation } from './simulation.ts';

const minute = 60_000;
/** What is said of a backup that cannot be relied upon. */
const refutations = new Set([
  'RevisionDiffers',
  'KeyCountDiffers',
  'HashDiffers',
  'OldMembers',
  'BackupDamaged',
  'RestoreFailed',
]);

/** The EtcdBackups of a run: what people ask for, what members have sent, and what must be true of what is reported (I5 and I9). */
export class Backups {
  readonly #simulation: Simulation;
  /** Since when each EtcdBackup exists, and what it last reported when, by UID. */
  readonly #since = new Map<string, number>();
  readonly #reported = new Map<string, { readonly path: string; readonly at: number }>();

  readonly #proven = new Set<string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  follow(): () => void {
    return this.#simulation.world.server.feed.subscribe(etcdBackups.resource, ({ type, object }) => {
      if (type !== 'DELETED') this.#observe(object);
    });
  }

  /** @param seconds the interval of a series; undefined for a single backup */
  create(seconds: number | undefined, deletesStored: boolean, isProven = false): void {
    const { world } = this.#simulation;
    const name = `${seconds === undefined ? 'once' : 'series'}-${this.#simulation.nextNumber()}`;
    const backupPolicy = { timeoutInSecond: 120, ...(seconds && { backupIntervalInSecond: seconds, maxBackups: 2 }) };
    const spec = {
      clusterRef: { name: clusterKey.name },
      storageType: 'Directory',
      directory: { path: name },
      backupPolicy,
      ...(isProven && { prove: { everyNth: 1 } }),
      ...(deletesStored && { deletionPolicy: 'Delete' as const }),
    };
    const annotations = { 'etcd.database.coreos.com/scope': 'clusterwide' };
    const metadata = { namespace: clusterKey.namespace, name, annotations };
    this.#simulation.work(world.client.resource(etcdBackups.resource).create({ metadata, spec }));
  }

  delete(pick: number): void {
    const all = this.#all();
    const { name = '', namespace = '' } = all[pick % Math.max(1, all.length)]?.metadata ?? {};
    if (name) this.#simulation.work(this.#resource.delete({ name, namespace }));
  }

  /** What goes on being written for ever is ended, so that silence can be told. */
  end(): void {
    for (const { metadata } of this.#all()) {
      const { name = '', namespace = '' } = metadata ?? {};
      this.#simulation.work(this.#resource.delete({ name, namespace }));
    }
  }

  /** I5: a backup that counts is deleted by retention, or with its EtcdBackup, and for no other reason. */
  onRemove(key: string): void {
    const manifest = this.#manifest(key);
    const owner = this.#all().find(({ metadata }) => metadata?.uid === manifest?.backup?.uid);
    if (!manifest || !owner || owner.metadata?.deletionTimestamp) return;
    const kept = owner.spec.backupPolicy?.maxBackups ?? 0;
    const others = [...this.#simulation.world.backups.objects.keys()].filter(
      (other) => other !== key && this.#manifest(other)?.backup?.uid === manifest.backup?.uid,
    );
    if (kept === 0 || others.length < kept)
      this.#simulation.fail(`I5: ${key} is deleted, and ${others.length} other backups of the series are left`);
  }

  /** What is not as it would be if nothing had ever happened. */
  disorder(): readonly string[] {
    const now = this.#simulation.clock.monotonic();
    return this.#all().flatMap(({ metadata, spec, status }) => {
      const { name, uid = '' } = metadata ?? {};
      if (metadata?.deletionTimestamp) return `${name} is still being deleted`;
      if (!status?.succeeded) return `${name} has not succeeded: ${status?.Reason}`;
      if (spec.prove && !status.lastProven) return `${name} has not been proven: ${status.proof?.path}`;
      const seconds = spec.backupPolicy?.backupIntervalInSecond;
      const late = seconds ? now - (this.#reported.get(uid)?.at ?? 0) - 2 * seconds * 1000 - 2 * minute : 0;
      return late > 0 ? `the last backup of ${name} is older than two intervals` : [];
    });
  }

  /** I9: what is reported as made is in the store, whole, and is what a member has sent since somebody asked for it. */
  #observe({ metadata, status }: EtcdBackup): void {
    const { clock } = this.#simulation;
    const { uid = '', name = '', namespace = '' } = metadata ?? {};
    this.#observeProof(name, namespace, status);
    if (!this.#since.has(uid)) this.#since.set(uid, clock.monotonic());
    const path = status?.lastBackup?.path;
    if (path === undefined || this.#reported.get(uid)?.path === path) return;
    this.#reported.set(uid, { path, at: clock.monotonic() });
    const flaw = this.#flawOf(`${namespace}/${path}`, status?.etcdRevision, this.#since.get(uid) ?? 0);
    if (flaw !== undefined) this.#simulation.fail(`I9: ${name} reports ${path}, ${flaw}`);
  }

  /** I9: what is proven is what is stored, and nothing sound is refuted. */
  #observeProof(name: string, namespace: string, status: EtcdBackup['status']): void {
    const { backups, sent } = this.#simulation.world;
    const { proof, lastProven, conditions } = status ?? {};
    const said = conditions?.find(({ type }) => type === 'Proven');
    const refuted = backups.objects.get(`${namespace}/${proof?.path}`);
    const isSound = refuted && sent.has(createHash('sha256').update(refuted).digest('hex'));
    const isAgainst = said?.status === 'False' && refutations.has(said.reason ?? '');
    if (isAgainst && isSound && !proof?.running)
      this.#simulation.fail(
        `I9: ${name} says that ${proof?.path}, which is sound, is not: ${said.reason} ${said.message}`,
      );
    const found = lastProven && sent.get(lastProven.sha256);
    if (!lastProven || this.#proven.has(`${name} ${lastProven.provenDate}`)) return;
    this.#proven.add(`${name} ${lastProven.provenDate}`);
    this.#simulation.note(`=== ${name} proven: ${lastProven.path}`);
    if (found?.revision !== lastProven.etcdRevision)
      this.#simulation.fail(`I9: ${name} has proven revision ${lastProven.etcdRevision}, and it is ${found?.revision}`);
  }

  #flawOf(key: string, reported: number | undefined, since: number): string | undefined {
    const bytes = this.#simulation.world.backups.objects.get(key);
    const manifest = this.#manifest(key);
    if (!bytes || !manifest) return `of which the backup store has ${bytes ? 'no manifest' : 'nothing'}`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const sent = this.#simulation.world.sent.get(sha256);
    if (!sent) return 'which is nothing that any member has sent';
    if (manifest.sha256 !== sha256 || manifest.bytes !== bytes.byteLength) return 'whose manifest is of another';
    if (manifest.clusterId !== sent.clusterId) return `of cluster ${manifest.clusterId} instead of ${sent.clusterId}`;
    const revisions = [manifest.revision, reported];
    if (revisions.some((revision) => revision !== sent.revision))
      return `as revision ${revisions.join(' and ')} instead of ${sent.revision}`;
    return sent.at < since ? 'which is older than the wish for it' : undefined;
  }

  #manifest(key: string): Manifest | undefined {
    const bytes = this.#simulation.world.backups.objects.get(manifestPath(key));
    return bytes && parseManifest(bytes);
  }

  #all(): readonly EtcdBackup[] {
    return this.#simulation.world.server.feed.list(etcdBackups.resource);
  }

  get #resource() {
    return this.#simulation.world.client.resource(etcdBackups.resource);
  }
}
