// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lab } from './lab.ts';
import { chart, type Helm, openHelm, startChartLab } from './testing/helm.ts';
import { type Kubectl, openKubectl } from './testing/kubectl.ts';

const kinds = 'deployments,networkpolicies,poddisruptionbudgets,serviceaccounts,roles,rolebindings,services';

let lab: Lab;
let kubectl: Kubectl;
let helm: Helm;

/** In place of the operator: before an upgrade, a Job of the chart runs it to install the CRDs. */
const operator = '#!/bin/sh\n[ "$1" = -install-crds ] || exec sleep 100000\n';

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'helm-lab-'));
  await writeFile(join(directory, 'etcd-operator'), operator, { mode: 0o755 });
  lab = await startChartLab(directory);
  kubectl = await openKubectl(lab);
  helm = await openHelm(lab);
});

afterAll(() => lab?.stop());

/** The names of all objects in the release's namespace that a chart may create. */
async function present(): Promise<readonly string[]> {
  const names = await kubectl(['get', kinds, '-n', 'etcd-system', '-o', 'name']);
  return names.split('\n').filter((name) => name !== '' && !name.endsWith('/default'));
}

test('the chart is installed, upgraded and uninstalled by helm with its default values', async () => {
  const release = ['etcd-operator', chart];
  const installed = await helm('install', ...release, '--create-namespace');
  expect(installed).toContain('STATUS: deployed');
  expect(await present()).toEqual(
    expect.arrayContaining([
      'deployment.apps/etcd-operator',
      'networkpolicy.networking.k8s.io/etcd-operator',
      'poddisruptionbudget.policy/etcd-operator',
    ]),
  );
  const crds = await kubectl(['get', 'crd', '-o', 'name']);
  expect(crds).toContain('etcdclusters.etcd.database.coreos.com');

  await helm('upgrade', ...release, '--set', 'etcdOperator.replicaCount=1', '--set', 'networkPolicy.enabled=false');
  const replicas = ['get', 'deployment', 'etcd-operator', '-n', 'etcd-system', '-o', 'jsonpath={.spec.replicas}'];
  expect(await kubectl(replicas)).toBe('1');
  expect(await present()).not.toContain('networkpolicy.networking.k8s.io/etcd-operator');

  await helm('rollback', 'etcd-operator', '1');
  expect(await kubectl(replicas)).toBe('2');

  await helm('uninstall', 'etcd-operator');
  await expect.poll(present).toEqual([]);
});
