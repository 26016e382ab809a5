// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import { invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';
import type { WatchLine, WatchStream } from '../../watch-stream.ts';

const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
const secret = (name: string, labels: object = {}) => ({ metadata: { name, labels } });
const short = (lines: readonly WatchLine<Stored>[]) =>
  lines.map(({ type, object }) => `${type} ${object.metadata.name}`);

/** The next change: with bookmarks enabled, one may arrive at any time. */
async function nextChange(watch: WatchStream<Stored>): Promise<WatchLine<Stored>> {
  const line = await watch.next();
  const isProgress = line.type === 'BOOKMARK' && line.object.metadata.annotations === undefined;
  return isProgress ? nextChange(watch) : line;
}

/** The stream of changes. */
export const watching: Subject = {
  name: 'watch',
  cases: {
    'changes after a version come in order, each with the object as it was then': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.list(secretsIn(ns));
      const watch = await t.watch(`${secretsIn(ns)}?resourceVersion=${metadata.resourceVersion}`);
      const a = await t.make(secretsIn(ns), secret('a'));
      const b = await t.make(secretsIn(ns), secret('b'));
      const changed = await t.patch(`${secretsIn(ns)}/a`, 'merge', { metadata: { labels: { new: 'yes' } } });
      await t.delete(`${secretsIn(ns)}/b`);
      const lines = await watch.take(4);
      expect(short(lines)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
      expect(lines.slice(0, 3).map(({ object }) => object)).toEqual([a, b, changed.body]);
    },
    'a deletion carries the last state with the version of the deletion': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(secretsIn(ns), secret('a', { last: 'yes' }));
      const watch = await t.watch(`${secretsIn(ns)}?resourceVersion=${made.metadata.resourceVersion}`);
      await t.delete(`${secretsIn(ns)}/a`);
      const { type, object } = await watch.next();
      expect(type).toBe('DELETED');
      expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
      const { resourceVersion } = object.metadata;
      expect(object).toEqual({ ...made, metadata: { ...made.metadata, resourceVersion } });
    },
    'every object of the stream names its kind': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(secretsIn(ns));
      expect((await watch.next()).object).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
    },
    'the stream is JSON, one event a line, in pieces': async (t) => {
      const ns = await t.namespace();
      const watch = await t.watch(secretsIn(ns));
      expect(watch.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    },
    'a watch without a version begins with what is there': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), secret('b'));
      await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(secretsIn(ns));
      expect(short(await watch.take(2)).toSorted()).toEqual(['ADDED a', 'ADDED b']);
      await t.delete(`${secretsIn(ns)}/a`);
      expect(short(await watch.take(1))).toEqual(['DELETED a']);
    },
    'a watch from version 0 begins with what is there': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(`${secretsIn(ns)}?resourceVersion=0`);
      expect(short(await watch.take(1))).toEqual(['ADDED a']);
    },
    'an object that comes to match is added, one that no longer matches is deleted, as it was when it matched': async (
      t,
    ) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a', { state: 'out' }));
      const watch = await t.watch(
        `${secretsIn(ns)}?labelSelector=state%3Din&resourceVersion=${metadata.resourceVersion}`,
      );
      const label = (state: string) => t.patch(`${secretsIn(ns)}/a`, 'merge', { metadata: { labels: { state } } });
      await label('in');
      await t.patch(`${secretsIn(ns)}/a`, 'merge', { metadata: { annotations: { note: 'x' } } });
      const out = await label('out');
      await label('out-again');
      await t.make(secretsIn(ns), secret('b', { state: 'in' }));
      const lines = await watch.take(4);
      expect(short(lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
      expect(lines[2]?.object.metadata).toMatchObject({
        labels: { state: 'in' },
        resourceVersion: out.body.metadata.resourceVersion,
      });
    },
    'a watch can be narrowed to one object by its name': async (t) => {
      const ns = await t.namespace();
      const watch = await t.watch(`${secretsIn(ns)}?fieldSelector=metadata.name%3Db`);
      await t.make(secretsIn(ns), secret('a'));
      await t.make(secretsIn(ns), secret('b'));
      await t.delete(`${secretsIn(ns)}/a`);
      await t.delete(`${secretsIn(ns)}/b`);
      expect(short(await watch.take(2))).toEqual(['ADDED b', 'DELETED b']);
    },
    'one object can be watched by its own path': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(
        `/api/v1/watch/namespaces/${ns}/secrets/a?resourceVersion=${metadata.resourceVersion}`,
      );
      await t.make(secretsIn(ns), secret('b'));
      await t.delete(`${secretsIn(ns)}/a`);
      expect(short(await watch.take(1))).toEqual(['DELETED a']);
    },
    'a watch over all namespaces sees each': async (t) => {
      const [one, other] = [await t.namespace(), await t.namespace()];
      const mark = t.unique('mark');
      const { metadata } = await t.list('/api/v1/secrets?limit=1');
      const query = `labelSelector=mark%3D${mark}&resourceVersion=${metadata.resourceVersion}`;
      const watch = await t.watch(`/api/v1/secrets?${query}`);
      await t.make(secretsIn(one), secret('a', { mark }));
      await t.make(secretsIn(other), secret('a', { mark }));
      const lines = await watch.take(2);
      expect(lines.map(({ object }) => object.metadata.namespace)).toEqual([one, other]);
    },
    'a write that changes nothing makes no event': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(`${secretsIn(ns)}?resourceVersion=${made.metadata.resourceVersion}`);
      await t.put(`${secretsIn(ns)}/a`, made);
      await t.patch(`${secretsIn(ns)}/a`, 'merge', {});
      await t.delete(`${secretsIn(ns)}/a`);
      expect(short(await watch.take(1))).toEqual(['DELETED a']);
    },
    'a marked object is modified first and deleted when its finalizer goes': async (t) => {
      const ns = await t.namespace();
      const watch = await t.watch(secretsIn(ns));
      await t.make(secretsIn(ns), { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
      await t.delete(`${secretsIn(ns)}/a`);
      await t.patch(`${secretsIn(ns)}/a`, 'merge', { metadata: { finalizers: null } });
      const lines = await watch.take(3);
      expect(short(lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      expect(lines[1]?.object.metadata).toHaveProperty('deletionTimestamp');
    },
    'a watch ends by itself after its time, and has sent a bookmark shortly before if asked to': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      const query = `resourceVersion=${metadata.resourceVersion}&timeoutSeconds=3&allowWatchBookmarks=true`;
      // The server checks once a second whether a bookmark is due; on a busy machine it may be late.
      const lines = await t.eventually(async () => {
        const all = await (await t.watch(`${secretsIn(ns)}?${query}`)).rest();
        expect(all.length).toBeGreaterThan(0);
        return all;
      });
      for (const { type, object } of lines) {
        expect({ type, ...object }).toEqual({
          type: 'BOOKMARK',
          kind: 'Secret',
          apiVersion: 'v1',
          metadata: { resourceVersion: object.metadata.resourceVersion },
        });
        expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
      }
    },
    'a watch sends no bookmark unless asked to': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(`${secretsIn(ns)}?resourceVersion=${metadata.resourceVersion}&timeoutSeconds=3`);
      expect(await watch.rest()).toEqual([]);
    },
    'a streamed list is what is there, then a bookmark that says so, then what happens': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), secret('b'));
      const newest = await t.make(secretsIn(ns), secret('a'));
      const watch = await t.watch(
        `${secretsIn(ns)}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      );
      const initial = await watch.take(2);
      expect(short(initial)).toEqual(['ADDED a', 'ADDED b']);
      const { type, object } = await watch.next();
      expect(type).toBe('BOOKMARK');
      const { resourceVersion } = object.metadata;
      expect(object).toEqual({
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
      });
      expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(newest.metadata.resourceVersion));
      await t.delete(`${secretsIn(ns)}/a`);
      expect(short([await nextChange(watch)])).toEqual(['DELETED a']);
    },
    'a streamed list of nothing is the bookmark alone': async (t) => {
      const ns = await t.namespace();
      const watch = await t.watch(
        `${secretsIn(ns)}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      );
      const { type, object } = await watch.next();
      expect({ type, annotations: object.metadata.annotations }).toEqual({
        type: 'BOOKMARK',
        annotations: { 'k8s.io/initial-events-end': 'true' },
      });
    },
    'without initial events a watch from version 0 tells only what happens': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), secret('a'));
      // Version 0 is that of the cache: objects that it does not contain yet would be reported as new.
      await t.eventually(() => t.read(`${secretsIn(ns)}/a?resourceVersion=0`));
      const watch = await t.watch(
        `${secretsIn(ns)}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0&allowWatchBookmarks=true`,
      );
      await t.make(secretsIn(ns), secret('b'));
      expect(short([await nextChange(watch)])).toEqual(['ADDED b']);
    },
    'a streamed list needs a match': async (t) => {
      const message = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
      expect(refusalOf(await t.get(`${secretsIn('default')}?watch=true&sendInitialEvents=true`))).toEqual(
        invalid('ListOptions.meta.k8s.io', '', ['resourceVersionMatch', 'Forbidden', message]),
      );
    },
    'a match without a streamed list is refused': async (t) => {
      const message = 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
      expect(refusalOf(await t.get(`${secretsIn('default')}?watch=true&resourceVersionMatch=NotOlderThan`))).toEqual(
        invalid('ListOptions.meta.k8s.io', '', ['resourceVersionMatch', 'Forbidden', message]),
      );
    },
    'a version that is no number is refused before the stream begins': async (t) => {
      expect(refusalOf(await t.get(`${secretsIn('default')}?watch=true&resourceVersion=abc`))).toEqual({
        code: 500,
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },
    'a watcher that does not read is cut off after whole events, and resumes after the last of them': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      const { metadata } = await t.list(path);
      const stuck = await t.watch(
        `${path}?resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name%3Da`,
      );
      const rest = 'x'.repeat(1_000_000);
      await t.make(path, { metadata: { name: 'a' }, data: { round: '1', rest } });
      for (let round = 2; round <= 60; round++) {
        await t.put(`${path}/a`, { metadata: { name: 'a' }, data: { round: String(round), rest } });
      }
      const seen = await stuck.rest();
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.length).toBeLessThan(60);
      const last = seen.at(-1)?.object.metadata.resourceVersion;
      const again = await t.watch(`${path}?resourceVersion=${last}&fieldSelector=metadata.name%3Da`);
      const missed = await again.take(60 - seen.length);
      const rounds = [...seen, ...missed].map(({ object }) => Number(object.data['round']));
      expect(rounds).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    },
  },
};
