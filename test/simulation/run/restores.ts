// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { type EtcdCluster, type EtcdRestore, etcdClusters, etcdRestores, manifestPath } from '@etcd-operator/operator';
import { annotations, readRestoreMarker } from '@etcd-operator/operator/testing/restore-pods';
import { pods } from '@operator-parts/kube';
import type { DataDirectory, Version } from '../etcd/data-directory.ts';
import { historyOf } from '../etcd/snapshot.ts';
import type { SimPod } from '../world/sim-pod.ts';
import type { SentSnapshot } from '../world/world.ts';
import { clusterKey } from './cluster-key.ts';
import type { Simulation } from './simulation.ts';

/** What a person asks for; without a source it is a backup from the store. */
export interface RestoreWish {
  readonly into?: string;
  readonly source?: { readonly survivor: { readonly member?: string } } | { readonly cluster: string };
  readonly safetySnapshot?: 'IfPossible' | false;
}

/** The incarnations of one EtcdCluster, as its object tells them. */
interface Incarnations {
  /** Cluster IDs that have been on record, each with its incarnation and whoever brought it; empty for the first. */
  readonly recorded: Map<string, { readonly incarnation: number; readonly by: string }>;
}

const scope = { 'etcd.database.coreos.com/scope': 'clusterwide' };
/** What every restore here adds to the revision: the default. */
const bump = 1_000_000_000;
const minute = 60_000;
/** Who lost power so recently may have served when the report was written. */
const justNow = 10_000;

/** The EtcdRestores of a run: what people ask for, and what must be true of what is reported (I1, I2 and I9). */
export class Restores {
  readonly #simulation: Simulation;
  readonly #incarnations = new Map<string, Incarnations>();
  /** What was acknowledged and still on a disk when a restore marked the cluster, by its UID. */
  readonly #atStake = new Map<string, readonly string[]>();
  readonly #ended = new Set<string>();
  /** The SHA-256 of what each restored cluster was made of, by its ID. */
  readonly #madeOf = new Map<string, string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  follow(): void {
    const { feed } = this.#simulation.world.server;
    feed.subscribe(etcdClusters.resource, ({ type, object }) => {
      if (type !== 'DELETED') this.#observeCluster(object);
    });
    feed.subscribe(etcdRestores.resource, ({ type, object }) => {
      if (type === 'DELETED') this.#tidy(object);
      else this.#observe(object);
    });
  }

  create(pick: number, { into = clusterKey.name, source, safetySnapshot }: RestoreWish): string {
    const { world, backups } = this.#simulation;
    const stored = this.sources();
    const path = stored[pick % Math.max(1, stored.length)];
    // Nobody restores what is not there yet.
    if (!source && path === undefined) {
      backups.create(undefined, false);
      return '';
    }
    const name = this.nextName('restore');
    const metadata = { namespace: clusterKey.namespace, name, annotations: scope };
    const from = source ? { source } : { backupStorageType: 'Directory', directory: { path: path ?? '' } };
    const spec = {
      etcdCluster: { name: into },
      ...from,
      ...(safetySnapshot !== undefined && { safetySnapshot }),
      timeout: pick % 3 === 0 ? '2m' : '10m',
    };
    this.#simulation.work(world.client.resource(etcdRestores.resource).create({ metadata, spec }));
    return name;
  }

  /** How a restore has ended; undefined if it has not. */
  endOf(name: string): { readonly succeeded: boolean; readonly reason: string } | undefined {
    const status = this.#all().find(({ metadata }) => metadata?.name === name)?.status;
    const isEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    return isEnded ? { succeeded: status.phase === 'Succeeded', reason: status.reason ?? '' } : undefined;
  }

  nextName(kind: string): string {
    return `${kind}-${this.#simulation.nextNumber()}`;
  }

  delete(pick: number): void {
    const all = this.#all();
    const { name = '', namespace = '' } = all[pick % Math.max(1, all.length)]?.metadata ?? {};
    const resource = this.#simulation.world.client.resource(etcdRestores.resource);
    if (name) this.#simulation.work(resource.delete({ name, namespace }));
  }

  /** Deletes all that have not ended. */
  deleteOpen(): void {
    const resource = this.#simulation.world.client.resource(etcdRestores.resource);
    for (const { metadata } of this.#all()) {
      const { name = '', namespace = '' } = metadata ?? {};
      if (this.endOf(name) === undefined) this.#simulation.work(resource.delete({ name, namespace }));
    }
  }

  /** Whoever has the cluster back lets go of the snapshots that recoveries have left in pods, by deleting those that have failed. */
  deleteHolders(): void {
    const { client, server } = this.#simulation.world;
    const holders = server.feed.list(pods).flatMap(({ metadata }) => metadata?.ownerReferences?.[0]?.uid ?? []);
    for (const { metadata, status } of this.#all()) {
      const { name = '', namespace = '', uid = '', deletionTimestamp } = metadata ?? {};
      if (status?.phase === 'Failed' && !deletionTimestamp && holders.includes(uid))
        this.#simulation.work(client.resource(etcdRestores.resource).delete({ name, namespace }));
    }
  }

  /** I1: what a restore makes has never been there before. */
  onRestored(pod: SimPod, { clusterId }: DataDirectory): void {
    const { world, writer } = this.#simulation;
    this.#madeOf.set(clusterId, pod.received.sha256 ?? '');
    const running = [...world.ether.members].some((member) => member.directory.clusterId === clusterId);
    if (writer.hasWrittenTo(clusterId) || running)
      this.#simulation.fail(`I1: ${pod.name} is restored as ${clusterId} again, which has served`);
  }

  /** What is not as it would be if nothing had ever happened. */
  disorder(): readonly string[] {
    const marked = this.#clusters().flatMap(({ metadata }) =>
      metadata?.annotations?.[annotations.restore] === undefined ? [] : `${metadata.name} is suspended for a restore`,
    );
    const copies = this.#clusters().flatMap(({ metadata }) =>
      metadata?.name === clusterKey.name ? [] : `${metadata?.name} is still there`,
    );
    const open = this.#all().flatMap(({ metadata, status }) => {
      if (metadata?.deletionTimestamp) return `${metadata.name} is still being deleted: ${status?.reason}`;
      const isEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      return isEnded ? [] : `${metadata?.name} has not ended: ${status?.phase} ${status?.reason}`;
    });
    return [...marked, ...copies, ...open];
  }

  /** I1: a cluster gets another identity by a restore alone, each by one, and its number grows. */
  #observeCluster({ metadata, status }: EtcdCluster): void {
    const { uid = '', name = '', annotations: notes = {} } = metadata ?? {};
    const incarnations = this.#incarnations.get(uid) ?? { recorded: new Map() };
    this.#incarnations.set(uid, incarnations);
    const clusterId = notes[annotations.clusterId];
    const marker = readRestoreMarker(notes);
    if (marker?.uid && marker.from?.clusterId && !this.#atStake.has(marker.uid))
      this.#noteStake(marker.uid, marker.from.clusterId);
    if (!clusterId || incarnations.recorded.has(clusterId)) return;
    const incarnation = Number(notes[annotations.incarnation] ?? status?.incarnation ?? 1);
    const by = marker?.uid ?? notes[annotations.restoredBy] ?? '';
    const before = [...incarnations.recorded.values()];
    incarnations.recorded.set(clusterId, { incarnation, by });
    const fail = (what: string) => this.#simulation.fail(`I1: ${name} becomes cluster ${clusterId} ${what}`);
    if (before.length > 0 && by === '') fail('and no restore was asked for');
    if (by !== '' && before.some((previous) => previous.by === by))
      fail(`by restore ${by}, which has brought another one before`);
    const highest = Math.max(0, ...before.map((previous) => previous.incarnation));
    if (incarnation <= highest) fail(`as incarnation ${incarnation}, and there was ${highest} before`);
  }

  #observe(restore: EtcdRestore): void {
    const { metadata, status } = restore;
    const { uid = '', name = '' } = metadata ?? {};
    const isEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (!isEnded || this.#ended.has(uid)) return;
    this.#ended.add(uid);
    this.#simulation.note(`=== ${name} ${status.phase}: ${status.reason ?? ''}`);
    if (status.phase === 'Failed') return;
    const flaw = this.#flawOf(restore);
    if (flaw !== undefined)
      this.#simulation.fail(flaw.startsWith('I') ? `${flaw} (${name})` : `I9: ${name} reports success, ${flaw}`);
    this.#simulation.clock.schedule(minute, () => this.#tidy(restore));
  }

  /** I9: what is reported as restored is served, and what was there before is kept. */
  #flawOf({ metadata, spec, status }: EtcdRestore): string | undefined {
    const { world } = this.#simulation;
    const { source, clusterID = '', revision = 0 } = status ?? {};
    const madeOf = this.#madeOf.get(clusterID);
    // The status has none of what was taken from a survivor.
    if (source?.sha256 !== undefined && source.sha256 !== madeOf) return `of ${source.sha256}, and it was ${madeOf}`;
    const sent = world.sent.get(madeOf ?? '');
    if (!sent) return 'of what no member has sent';
    // Its deletion was a new generation, whose source was not read again.
    if (!source && !metadata?.deletionTimestamp) return 'and not of what';
    const isMeasured = source?.verified === 'Manifest' || source?.verified === 'Embedded';
    if (isMeasured && sent.revision !== source?.revision)
      return `of revision ${source?.revision}, and the backup has ${sent.revision}`;
    return this.#flawOfServed(clusterID, revision, sent) ?? this.#flawOfKept(metadata, spec, status, sent.history);
  }

  #flawOfServed(clusterID: string, revision: number, sent: SentSnapshot): string | undefined {
    const { world } = this.#simulation;
    const members = [...world.ether.members].filter(({ directory }) => directory.clusterId === clusterID);
    const leader = members.find(({ role }) => role === 'leader');
    const now = world.clock.monotonic();
    const isDark = [...world.kubelets.values()].some(({ downSince }) => downSince > 0 && now - downSince < justNow);
    if (!leader) return isDark ? undefined : `and nobody leads cluster ${clusterID}`;
    if (revision < sent.revision + bump) return `at revision ${revision}, though the backup is of ${sent.revision}`;
    if (leader.state.revision < revision) return `at revision ${revision}, and serves ${leader.state.revision}`;
    const base = leader.directory.log.find(({ command }) => command.kind === 'restored')?.command;
    const found = base?.kind === 'restored' ? valuesOf(base.history) : [];
    return found.join() === valuesOf(sent.history).join() ? undefined : 'and serves other keys than the backup has';
  }

  #flawOfKept(
    metadata: EtcdRestore['metadata'],
    spec: EtcdRestore['spec'],
    status: EtcdRestore['status'],
    restored: readonly Version[],
  ): string | undefined {
    const { world } = this.#simulation;
    const volumes = status?.oldVolumes?.names ?? [];
    const missing = volumes.find((volume) => !world.hasClaim(clusterKey.namespace, volume));
    if (missing !== undefined) return `and the old volume ${missing} is gone`;
    const isSafe = (spec.safetySnapshot ?? 'Required') === 'Required' || spec.safetySnapshot === true;
    return isSafe ? this.#lossOf(metadata?.uid ?? '', status, restored) : undefined;
  }

  /** I2: nothing acknowledged is in no safety snapshot, and on no old volume. */
  #lossOf(uid: string, status: EtcdRestore['status'], restored: readonly Version[]): string | undefined {
    const { world } = this.#simulation;
    // What a pod holds of a survivor is gone with the pod: the volumes are there.
    const path = isPod(status?.safetySnapshot?.path) ? undefined : status?.safetySnapshot?.path;
    const bytes = path === undefined ? undefined : world.backups.objects.get(`${clusterKey.namespace}/${path}`);
    if (path !== undefined && !bytes) return `and its safety snapshot ${path} is not in the backup store`;
    const saved = bytes && world.sent.get(createHash('sha256').update(bytes).digest('hex'));
    if (bytes && !saved) return `and its safety snapshot ${path} is nothing that a member has sent`;
    const kept = new Set([
      ...valuesOf(saved?.history ?? []),
      ...(status?.source?.verified === 'Survivor' ? valuesOf(restored) : []),
      ...[...world.directories].flatMap(([place, { log }]) =>
        place.startsWith('claim/') ? valuesOf(historyOf(log)) : [],
      ),
    ]);
    const lost = (this.#atStake.get(uid) ?? []).find((value) => !kept.has(value));
    return lost && `I2: the acknowledged write ${lost} was on a disk before the restore, and is nowhere now`;
  }

  /** Of what was acknowledged, what is still on some disk. */
  #noteStake(uid: string, clusterId: string): void {
    const { world, writer } = this.#simulation;
    const present = new Set(
      [...world.directories.values()].flatMap((directory) =>
        directory.clusterId === clusterId ? valuesOf(historyOf(directory.log)) : [],
      ),
    );
    this.#atStake.set(
      uid,
      writer.acknowledgedBy(clusterId).filter((value) => present.has(value)),
    );
  }

  /** Copies are looked at for a while, and are then deleted by whoever has made them. */
  #tidy({ spec, metadata }: EtcdRestore): void {
    const { name } = spec.etcdCluster;
    if (name === clusterKey.name) return;
    const key = { namespace: metadata?.namespace ?? '', name };
    this.#simulation.work(this.#simulation.clusters.delete(key));
  }

  /** Paths of whole backups of our cluster, as a spec names them. */
  sources(): readonly string[] {
    const { objects } = this.#simulation.world.backups;
    const prefix = `${clusterKey.namespace}/`;
    return [...objects.keys()]
      .filter((key) => key.startsWith(prefix) && objects.has(manifestPath(key)))
      .map((key) => key.slice(prefix.length))
      .toSorted();
  }

  #all(): readonly EtcdRestore[] {
    return this.#simulation.world.server.feed.list(etcdRestores.resource);
  }

  #clusters(): readonly EtcdCluster[] {
    return this.#simulation.world.server.feed.list(etcdClusters.resource);
  }
}

function valuesOf(history: readonly Version[]): readonly string[] {
  return history.flatMap(({ value }) => value ?? []);
}

function isPod(path: string | undefined): boolean {
  return path?.startsWith('pod/') ?? false;
}
