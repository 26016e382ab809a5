// SPDX-License-Identifier: Apache-2.0
/**
 * The runbook for an operator that is down, typed in that situation: no other operator manages clusters in this
 * playground.
 */
import { expect, test } from 'vitest';
import { Reader } from './testing/reader.ts';
import { installPage, troublePages } from './testing/typed-pages.ts';

const { operatorDown } = troublePages;

test('an operator that was scaled to 0, and one that died: the page says what is wrong and brings it back', async () => {
  await using reader = await Reader.sitDown('--empty');
  await reader.follow(installPage, (section) => section === 'As in the walk-through: two commands');
  await reader.type(`kubectl apply -f example/example-etcd-cluster.yaml
    kubectl wait --for condition=Available --timeout=120s etcdcluster/example-etcd-cluster`);
  const follow = (section: string) => reader.follow(operatorDown, (name) => name === section);
  const read = async () => {
    for (const section of ['Is it running, and does it work?', 'Why does it not start?'])
      expect(await follow(section)).toBe(1);
    return reader.type('kubectl etcd operators; kubectl get deployment etcd-operator; kubectl get pods');
  };
  const ask = (size: number) =>
    reader.type(`kubectl patch etcdcluster example-etcd-cluster --type merge -p '{"spec":{"size":${size}}}'`);
  const isDone = (size: number) =>
    reader.type(`kubectl wait --for jsonpath='{.status.size}'=${size} --timeout=180s etcdcluster/example-etcd-cluster`);

  await reader.type(`kubectl scale deployment etcd-operator --replicas=0
    kubectl wait --for delete pods -l name=etcd-operator --timeout=60s`);
  await ask(1);
  const down = await read();
  expect(down).toMatch(/^etcd-operator +namespace default +none /m);
  expect(down).toMatch(/^etcd-operator +0\/0 /m);
  expect(await reader.type("kubectl get etcdcluster example-etcd-cluster -o jsonpath='{.status.size}'")).toBe('3');
  expect(await follow('It is scaled to 0')).toBe(1);
  expect(await follow('Is it back?')).toBe(1);
  await isDone(1);

  await reader.type('kubectl delete pods -l name=etcd-operator --grace-period=0 --force');
  await ask(2);
  await read();
  expect(await follow('Restart it')).toBe(1);
  expect(await follow('Is it back?')).toBe(1);
  await isDone(2);
}, 600_000);
