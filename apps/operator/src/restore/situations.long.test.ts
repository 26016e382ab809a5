// SPDX-License-Identifier: Apache-2.0
/**
 * Every situation in which a cluster can be restored, with every version of etcd. Each time 10,000 keys are compared afterwards, and a
 * client watches during the restore.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { TestAuthority } from '@etcd-operator/tools';
import { type StoreContents, WatchingClient } from '@operator-parts/etcd/testing';
import { persistentVolumeClaims, secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import { labels } from '../api/names.ts';
import { manifestPath, renderManifest } from '../storage/manifest.ts';
import { RestoreLab } from './testing/restore-lab.ts';

/** The version, the previous one, and whether its tool raises revisions. Without that, clients get no compaction error. */
const versions = [
  { version: '3.4.23', before: '3.3.25', minors: ['3.3', '3.4'], bumps: false },
  { version: '3.4.31', before: '3.3.25', minors: ['3.3', '3.4.31'], bumps: true },
  { version: '3.5.35', before: '3.4.23', minors: ['3.4', '3.5'], bumps: true },
  { version: '3.6.16', before: '3.5.35', minors: ['3.5', '3.6'], bumps: true },
  { version: '3.7.3', before: '3.6.16', minors: ['3.6', '3.7'], bumps: true },
] as const;

const namespace = 'default';
const patience = 300_000;
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

interface Situation {
  /** Also the name of the EtcdRestore. */
  readonly called: string;
  /** What happens to the cluster before the restore. */
  readonly harm?: () => Promise<unknown>;
  /** True if the operator is stopped meanwhile, so that nothing is repaired before the restore exists. */
  readonly unattended?: boolean;
  /** The situation whose backup is used; the cluster then has its keys again. @default a backup taken now */
  readonly from?: string;
  /** True if there is a manifest beside the backup. */
  readonly manifest?: boolean;
  /** Further fields of the EtcdRestore. */
  readonly spec?: Parameters<RestoreLab['restore']>[2];
  /** What happens right after the restore has succeeded. */
  readonly afterwards?: () => Promise<unknown>;
}

const encode = (text: string) => Buffer.from(text).toString('base64');

describe.each(versions)(
  '10,000 keys are the same after a restore by etcd $version',
  ({ version, before, minors, bumps }) => {
    let lab: RestoreLab;
    beforeAll(async () => {
      lab = await RestoreLab.start({ versions: minors });
    }, 240_000);
    afterAll(async () => {
      await lab?.[Symbol.asyncDispose]();
    });

    /** A cluster of three members with its keys. */
    async function filled(name: string, more: Partial<EtcdClusterSpec> = {}): Promise<void> {
      await lab.clusters.create(name, { size: 3, version, ...more });
      await lab.clusters.settled(name, patience);
      await lab.fill(name, 10_000);
    }

    /** Takes a backup, brings the cluster into a situation, restores it, and compares everything. */
    async function restored(name: string, situation: Situation): Promise<void> {
      const file = `${situation.from ?? situation.called}.db`;
      if (!situation.from) await lab.snapshot(name, file);
      const saved = await lab.contents(name);
      if (situation.manifest) await writeManifest(name, file, saved);
      await lab.clusters.put(name, 'watched', 'newer than the backup');
      const { revision } = await lab.contents(name);
      using watching = new WatchingClient(() => lab.clusters.member(name), 'watched', revision);
      await expect.poll(() => watching.seen).toEqual(['newer than the backup']);
      if (situation.unattended) await lab.clusters.stopOperator();
      await situation.harm?.();
      await lab.restore(situation.called, file, { cluster: name, ...situation.spec });
      if (situation.unattended) lab.clusters.startOperator();
      await lab.succeeded(situation.called, patience);
      await situation.afterwards?.();
      const { status } = await lab.clusters.settled(name, patience);
      expect(status).toMatchObject({ currentVersion: version, size: 3, readySize: 3 });
      expect((await lab.contents(name)).keys).toEqual(saved.keys);
      const told = bumps ? ['compacted'] : [];
      await expect.poll(() => watching.seen).toEqual(['newer than the backup', ...told]);
    }

    async function lose(name: string, count: number): Promise<void> {
      for (const pod of (await lab.clusters.pods(name)).slice(0, count)) {
        await lab.clusters.deletePod(pod.metadata?.name ?? '', 0);
      }
    }

    test('[89] [90] [96] without volumes: healthy, without a quorum, Failed, and with an EtcdCluster that is gone', async () => {
      await filled('plain');
      await restored('plain', { called: 'healthy' });
      const beheaded = { unattended: true, harm: () => lose('plain', 2) };
      // The backup is older than the cluster's incarnations: the new one must not begin at the same revision as an earlier one.
      await restored('plain', { called: 'without-quorum', from: 'healthy', ...beheaded });
      await restored('plain', {
        called: 'failed',
        harm: async () => {
          await lab.clusters.stopOperator();
          await lose('plain', 3);
          lab.clusters.startOperator();
          await lab.clusters.until('all data lost', async () =>
            (await lab.clusters.get('plain')).status?.phase === 'Failed' ? true : undefined,
          );
        },
      });
      const harm = () => lab.clusters.delete('plain');
      await restored('plain', { called: 'inline', harm, spec: { clusterSpec: { size: 3, version } } });
      await restored('plain', { called: 'manifest', harm, manifest: true });
      expect((await lab.clusters.get('plain')).spec).toMatchObject({ size: 3, version });
    });

    async function writeManifest(name: string, backup: string, { revision }: StoreContents): Promise<void> {
      const path = lab.file(backup);
      const file = await readFile(path);
      const manifest = renderManifest({
        etcdVersion: version,
        revision: Number(revision),
        bytes: file.byteLength,
        sha256: createHash('sha256').update(file).digest('hex'),
        clusterId: 'cdf818194e3a8c32',
        time: '2026-01-01T00:00:00Z',
        cluster: { name, size: 3, version },
      });
      await writeFile(manifestPath(path), manifest);
    }

    test('[90] [95] with TLS and on volumes: degraded, without a quorum, and with all pods and volumes gone', async () => {
      const names = ['*.safe.default.svc', '*.safe.default.svc.cluster.local', 'safe-client.default.svc', 'localhost'];
      const authority = await TestAuthority.create('lab');
      const { cert, key } = await authority.issue({ names });
      const data = { 'tls.crt': encode(cert), 'tls.key': encode(key), 'ca.crt': encode(authority.ca) };
      await lab.clusters.lab
        .client()
        .resource(secrets)
        .create({ metadata: { name: 'tls', namespace }, data });
      const tls = { ca: authority.ca, cert, key };
      lab.clusters.access.set('safe', { tls: () => tls, serverName: 'safe-client.default.svc' });
      const TLS = { static: { member: { peerSecret: 'tls', serverSecret: 'tls' }, operatorSecret: 'tls' } };
      await filled('safe', { TLS, pod: { persistentVolumeClaimSpec } });
      await restored('safe', { called: 'degraded', unattended: true, harm: () => lose('safe', 1) });
      const spec = { safetySnapshot: 'IfPossible' } as const;
      await restored('safe', { called: 'beheaded', unattended: true, harm: () => lose('safe', 2), spec });
      const harm = async () => {
        await lose('safe', 3);
        const claims = lab.clusters.lab.client().resource(persistentVolumeClaims);
        const { items } = await claims.list({ namespace, labelSelector: `${labels.cluster}=safe` });
        for (const { metadata } of items) await claims.delete({ namespace, name: metadata?.name ?? '' });
      };
      await restored('safe', { called: 'gone', unattended: true, harm });
      expect((await lab.clusters.get('safe')).status).toMatchObject({ incarnation: 4 });
    });

    test('[96] operator rule 23: paused, with authentication enabled', async () => {
      const login = { name: 'root', password: 'correct horse' };
      const data = { username: encode(login.name), password: encode(login.password) };
      await lab.clusters.lab
        .client()
        .resource(secrets)
        .create({ metadata: { name: 'login', namespace }, data });
      await lab.clusters.create('locked', { size: 3, version, auth: { secret: 'login' } });
      await lab.clusters.settled('locked', patience);
      await lab.fill('locked', 10_000);
      {
        using member = await lab.clusters.member('locked');
        await member.auth.userAdd(login.name, login.password);
        await member.auth.roleAdd('root');
        await member.auth.userGrantRole(login.name, 'root');
        await member.auth.enable();
      }
      lab.clusters.access.set('locked', { login: () => login });
      await restored('locked', {
        called: 'paused',
        harm: () => lab.clusters.change('locked', { paused: true }),
        afterwards: async () => {
          expect((await lab.clusters.get('locked')).spec.paused).toBe(true);
          await lab.clusters.change('locked', { paused: false });
        },
      });
    });

    test(`[96] in the middle of an upgrade from ${before}`, async () => {
      await filled('halfway', { version: before });
      const harm = async () => {
        await lab.clusters.change('halfway', { version });
        await lab.clusters.until('upgrading', async () =>
          (await lab.clusters.get('halfway')).status?.targetVersion === version ? true : undefined,
        );
      };
      await restored('halfway', { called: 'mid-upgrade', harm });
      expect((await lab.clusters.get('halfway')).status).toMatchObject({ incarnation: 2 });
    });
  },
);
