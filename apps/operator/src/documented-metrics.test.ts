// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { freePort } from '@etcd-operator/tools';
import { silentLogger } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { runOperators } from './all-operators.ts';
import { controllerNames } from './controller-names.ts';
import { ApiServerScene } from './testing/api-server-scene.ts';

test('every metric that a process of all operators shows is on the page of metrics, with its type', async () => {
  await using scene = await ApiServerScene.open();
  const stop = new AbortController();
  const port = await freePort();
  const ended = runOperators(
    {
      client: scene.client,
      log: silentLogger,
      namespace: 'default',
      identity: 'one',
      controllers: controllerNames,
      http: { port, host: '127.0.0.1' },
      readLog: () => Promise.resolve(''),
      dial: () => Promise.reject(new Error('nothing runs here')),
    },
    stop.signal,
  );
  const shown = await scene.until('all metrics', async () => {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    const isWhole = ['etcd_operator_cluster_stalled', 'etcd_operator_backup_next_schedule', 'reflector_lists_total'];
    return isWhole.every((name) => text.includes(`# TYPE ${name} `)) ? text : undefined;
  });
  stop.abort();
  await ended;
  const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
  const families = [...shown.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  expect(families.length).toBeGreaterThan(30);
  expect(
    families.filter(([, name, type]) => !page.includes(`| \`${name}\` | ${type} | `)).map(([line]) => line),
  ).toEqual([]);
}, 120_000);
