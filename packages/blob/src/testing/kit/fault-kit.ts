// SPDX-License-Identifier: Apache-2.0
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { allNetworkFaults, type StoppedStore, testEarlyStop } from './early-stop-rows.ts';
import { EscapedErrors } from './escaped-errors.ts';
import { type KitSubject, type Scene, sceneOf } from './kit-subject.ts';
import { type KitRow, type KitStore, rowsOf } from './kit-table.ts';
import { putRows } from './put-rows.ts';
import { readRows, seedReads } from './read-rows.ts';

const suites: Readonly<Record<KitRow, (scene: () => Scene) => void>> = {
  ...putRows,
  ...readRows,
  'the caller abandons a read, a write or a listing': (scene) => {
    const spoil: StoppedStore['spoil'] = (kind, fault) =>
      scene().proxy.expect(fault ? scene().at(kind, fault) : () => undefined);
    testEarlyStop(() => ({ ...scene(), spoil }), allNetworkFaults);
  },
};

/**
 * What no fault may cause in any store: a false success, left-over data, a secret in an error, an uncaught error, which
 * would end the process. Runs every row of the kit that applies to the store, against its real server.
 */
export function testFaults(store: KitStore, open: () => Promise<KitSubject>): void {
  let scene: Scene;
  const current = () => scene;
  const escaped = new EscapedErrors(process);

  beforeAll(async () => {
    scene = await sceneOf(await open(), () => escaped.taken());
    await seedReads(scene);
  });
  afterEach(async () => {
    scene.proxy.expect(() => undefined);
    expect(await escaped.taken()).toEqual([]);
  });
  afterAll(async () => {
    scene?.store.close();
    await scene?.close();
    expect(await escaped.taken()).toEqual([]);
    escaped[Symbol.dispose]();
  });

  describe.each([...rowsOf(store)])('%s', (row) => {
    suites[row](current);
  });
}
