// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lab } from './lab.ts';
import { chart, type Helm, openHelm, startChartLab } from './testing/helm.ts';
import { type Kubectl, openKubectl } from './testing/kubectl.ts';

let lab: Lab;
let kubectl: Kubectl;
let helm: Helm;

beforeAll(async () => {
  lab = await startChartLab(dirname(process.execPath));
  kubectl = await openKubectl(lab);
  helm = await openHelm(lab);
});

afterAll(() => lab?.stop());

function lease(name: string, renewTime: string): string {
  const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 15, renewTime };
  const metadata = { name, namespace: 'etcd-system' };
  return JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
}

test('helm test ends well once the kinds are served and every operator holds its Lease, and not before', async () => {
  await helm('install', 'etcd-operator', chart, '--create-namespace', '--set', 'etcdOperator.replicaCount=0');
  const programs = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'];
  const leases = programs.map((name) => `${name}-cluster-wide`);
  for (const name of leases) await kubectl(['apply', '-f', '-'], { input: lease(name, '2020-01-01T00:00:00.000000Z') });
  const log = () => kubectl(['logs', 'etcd-operator-test', '-n', 'etcd-system']).catch(() => '');
  const tested = helm('test', 'etcd-operator', '--logs', '--timeout', '180s');
  await expect.poll(log).toMatch(/served: .*etcdclusters/);
  expect(await log()).not.toContain('held by');

  const now = new Date().toISOString().replace('Z', '000Z');
  for (const name of leases) await kubectl(['apply', '-f', '-'], { input: lease(name, now) });
  const said = await tested;
  expect(said).toMatch(/Phase: +Succeeded/);
});
