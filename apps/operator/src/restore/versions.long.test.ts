// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

/** Versions of the lab's images, and whether their tool raises revisions. */
const versions = [
  ['3.3.25', false],
  ['3.4.23', false],
  ['3.4.31', true],
  ['3.5.35', true],
  ['3.6.16', true],
  ['3.7.3', true],
] as const;

describe('10,000 keys with leases, compacted history and a value of 1 MiB', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start({ versions: ['3.3', '3.4', '3.4.31', '3.5', '3.6', '3.7'] });
  }, 240_000);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  test.each(versions)(
    '[89] [98] are the same after a restore with the tool of %s',
    async (version, bumps) => {
      const name = `v${version.replaceAll('.', '-')}`;
      await lab.clusters.create(name, { size: 3, version });
      await lab.clusters.settled(name, 120_000);
      await lab.fill(name, 10_000);
      await lab.snapshot(name, `${name}.db`);
      const saved = await lab.contents(name);
      await lab.clusters.put(name, 'later', 'x');
      await lab.restore(name, `${name}.db`);
      const status = await lab.succeeded(name, 300_000);
      await lab.clusters.settled(name, 120_000);
      const found = await lab.contents(name);
      expect(found.keys).toEqual(saved.keys);
      const raised = Number(status.revision) - Number(saved.revision);
      // Counted from the cluster, which has one more key than the backup.
      expect([0, 1]).toContain(raised - (bumps ? 1_000_000_000 : 0));
    },
    600_000,
  );

  test('a snapshot of a newer minor is refused before anything is touched', async () => {
    await lab.restore('older', 'v3-7-3.db', { cluster: 'v3-6-16' });
    const status = await lab.ended('older');
    expect(status.reason).toContain('3.7');
    expect(status.succeeded).toBe(false);
  }, 60_000);

  test('[96] a cluster in the middle of an upgrade is restored with the version that was asked for', async () => {
    const name = 'halfway';
    await lab.clusters.create(name, { size: 3, version: '3.5.35' });
    await lab.clusters.settled(name, 120_000);
    await lab.clusters.change(name, { version: '3.6.16' });
    await lab.clusters.until('upgrading', async () =>
      (await lab.clusters.get(name)).status?.targetVersion === '3.6.16' ? true : undefined,
    );
    await lab.restore(name, 'v3-5-35.db', { acceptForeign: true });
    await lab.succeeded(name, 300_000);
    const { status } = await lab.clusters.settled(name, 120_000);
    expect(status).toMatchObject({ currentVersion: '3.6.16', incarnation: 2, readySize: 3 });
    expect((await lab.contents(name)).keys).toEqual((await lab.contents('v3-5-35')).keys);
  }, 600_000);

  test('a snapshot of an older minor becomes a cluster of a newer one', async () => {
    await lab.restore('upgraded', 'v3-5-35.db', { clusterSpec: { size: 1, version: '3.7.3' } });
    await lab.succeeded('upgraded', 120_000);
    expect((await lab.contents('upgraded')).keys).toEqual((await lab.contents('v3-5-35')).keys);
  }, 180_000);
});
