// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../api-server/free-ports.ts';
import { ensurePart } from '../../parts/ensure-part.ts';
import { repositoryRoot } from '../../repository-root.ts';
import { memberAlerts, operatorAlerts } from './alerts.ts';
import { panels } from './dashboard.ts';
import { metricNames } from './testing/metric-names.ts';

const queries = panels.flatMap((panel) => Object.values(panel.queries));
const asked = [...[...memberAlerts, ...operatorAlerts].map(({ expr }) => expr), ...queries].flatMap(metricNames);
const ofMembers = [...new Set(asked.filter((name) => /^(etcd_(?!operator_)|grpc_)/.test(name)))].sort();
const ofOperators = [...new Set(asked.filter((name) => !ofMembers.includes(name) && name !== 'up'))].sort();

describe('metrics that alerts and dashboard ask for', () => {
  let etcd: ChildProcess;
  let data: string;
  let text = '';
  beforeAll(async () => {
    const program = (await ensurePart('etcd@3.6', { fromPath: false })).programs['etcd'] ?? '';
    const [client, peer] = [await freePort(), await freePort()];
    data = mkdtempSync(join(tmpdir(), 'metrics-'));
    const [here, there] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const listen = ['--listen-client-urls', here, '--advertise-client-urls', here, '--listen-peer-urls', there];
    const first = ['--initial-advertise-peer-urls', there, '--initial-cluster', `default=${there}`];
    // One alert is for those who ask for more metrics than etcd has by itself.
    etcd = spawn(program, ['--data-dir', data, '--metrics=extensive', ...listen, ...first], { stdio: 'ignore' });
    for (let tries = 0; tries < 300 && !text.includes('etcd_server_has_leader 1'); tries++) {
      text = await fetch(`${here}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      await systemClock.sleep(100);
    }
  });
  afterAll(() => {
    etcd?.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  });

  test.each(ofMembers)('etcd has %s', (name) => {
    // Only present with peers: a cluster with one member does not report it.
    const isOfPeers = name.startsWith('etcd_network_peer_');
    expect(isOfPeers || text.includes(`# TYPE ${name} `)).toBe(true);
  });

  const sources = ['apps/operator/src', 'packages/controller-runtime/src'].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('metrics.ts'))
      .map((file) => readFileSync(join(repositoryRoot, folder, file), 'utf8')),
  );

  test.each(ofOperators)('the operators have %s', (name) => {
    expect(sources.some((source) => source.includes(`'${name}'`))).toBe(true);
  });
});
