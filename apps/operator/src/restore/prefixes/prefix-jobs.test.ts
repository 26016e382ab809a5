// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { comparedPoint, comparePrefixes, writeRecorded } from './prefix-jobs.ts';
import { PrefixScene } from './testing/prefix-scene.ts';

const good = new Map([...['/a/1', '/a/2', '/b/1'].map((key) => [key, 'good'] as const)]);

/** A dry run of two prefixes, followed by a write of another client. */
async function counted(): Promise<PrefixScene> {
  const scene = await PrefixScene.open(good);
  for (const [key, value] of good) scene.etcd.put(key, value);
  scene.etcd.put('/a/1', 'bad');
  await scene.compare(['/a/', '/b/'], { isDryRun: true });
  scene.etcd.put('/a/2', 'mine, after the dry run');
  return scene;
}

describe('keys that were changed after the dry run are refused', () => {
  test.each([
    ['in the same order', ['/a/', '/b/'], 'key /a/2 was changed in the cluster'],
    ['in another order', ['/b/', '/a/'], 'key /a/2 was changed in the cluster'],
    ['with one that is in another one', ['/b/', '/a/', '/a/1'], 'key /a/2 was changed in the cluster'],
    ['with fewer of them', ['/a/'], 'spec.prefixes was changed, after the comparison at revision'],
    ['with more of them', ['/a/', '/b/', '/c/'], 'spec.prefixes was changed, after the comparison at revision'],
  ])('of prefixes %s', async (_how, wanted, why) => {
    const scene = await counted();
    const { conflict } = await scene.compare(wanted);
    expect(conflict).toContain(why);
    expect(conflict).toContain(
      'Set spec.dryRun to true to compare the backup with the cluster again, or spec.onConflict to Overwrite',
    );
  });

  test('also in another order, if nothing was changed, they are written', async () => {
    const scene = await counted();
    scene.etcd.put('/a/2', 'good');
    expect((await scene.compare(['/b/', '/a/'])).conflict).toBeUndefined();
  });

  test('not with Overwrite, which takes other prefixes as well, but no other cluster', async () => {
    const scene = await counted();
    expect((await scene.compare(['/a/'], { overwrites: true })).conflict).toBeUndefined();
    scene.clusterId = 99n;
    expect((await scene.compare(['/a/'], { overwrites: true })).conflict).toContain('the cluster was replaced');
  });

  test('a dry run starts again', async () => {
    const scene = await counted();
    expect((await scene.compare(['/c/'], { isDryRun: true })).conflict).toBeUndefined();
  });
});

test('nothing is written by a comparison', async () => {
  const scene = await counted();
  const { revision } = scene.etcd;
  await comparePrefixes(scene.work(['/a/']), scene.context);
  expect({ revision: scene.etcd.revision, transactions: scene.etcd.transactions }).toEqual({
    revision,
    transactions: [],
  });
});

describe('a database that would exceed its quota', () => {
  test.each([
    ['by what the spec says, before etcd 3.6', { dbSize: 999_000, dbSizeQuota: undefined }, true],
    ['by what the member says', { dbSize: 20_000, dbSizeQuota: 21_000 }, true],
    ['not if the member has a larger one', { dbSize: 999_000, dbSizeQuota: 2_000_000 }, false],
    ['not if it has none', { dbSize: 1e12, dbSizeQuota: -1 }, false],
  ])('is told with the comparison: %s', async (_how, database, isTold) => {
    const scene = await counted();
    scene.database = database;
    const { comparison } = await scene.compare(['/a/'], { isDryRun: true });
    expect(comparison).toMatchObject({ puts: 2, putBytes: 16 });
    expect(comparison.warning !== undefined).toBe(isTold);
  });
});

test('a point in time that was compared is made again of the same full backup, unless the spec asks for another one', async () => {
  const scene = await counted();
  const point = { asked: 'revision 20', snapshot: 'b/etcd_v10', revision: 20 };
  const recorded = scene.recorded && { ...scene.recorded, point };
  const facts = { wanted: ['/a/'], isDryRun: false, overwrites: false, asked: 'revision 20', recorded };
  expect(comparedPoint(facts)).toEqual(point);
  expect(comparedPoint({ ...facts, asked: 'revision 21' })).toBeUndefined();
  expect(comparedPoint({ ...facts, isDryRun: true })).toBeUndefined();
  expect(comparedPoint({ ...facts, recorded: scene.recorded })).toBeUndefined();
  expect(comparedPoint(undefined)).toBeUndefined();
});

test('what was recorded is written with Overwrite but for what no safety snapshot has, and to no other cluster', async () => {
  const scene = await counted();
  await scene.compare(['/a/'], { overwrites: true });
  const savedUpTo = scene.etcd.revision;
  scene.etcd.put('/a/2', 'mine, after the safety snapshot');
  const write = (upTo: bigint) =>
    writeRecorded({ ...scene.work(['/a/'], { overwrites: true }), savedUpTo: upTo }, scene.context);
  expect(await write(savedUpTo)).toMatchObject({ unsaved: { keys: 1, first: '/a/2' } });
  expect(scene.etcd.contents.get('/a/1')).toBe('good');
  scene.clusterId = 99n;
  await expect(write(scene.etcd.revision)).rejects.toThrow('the cluster was replaced');
  scene.clusterId = 1n;
  expect(await write(scene.etcd.revision)).toMatchObject({ unsaved: undefined });
  expect(scene.etcd.contents.get('/a/2')).toBe('good');
});
