// SPDX-License-Identifier: Apache-2.0
/** Runbooks, typed as written in the situation that they are for, and pages that are too slow for guide.lab.test.ts. */
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Reader } from './testing/reader.ts';
import { installPage, longPages, troublePages } from './testing/typed-pages.ts';

const { night, crashLooping, slowDisk, stalled, backupTooOld, backupNotProven, restoreStuck, namespaceStuck } =
  troublePages;
const { report, operatorUpgrade } = troublePages;

describe('in a playground with three members on volumes', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.sitDown();
    await reader.type(`kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: my-cluster }
spec:
  size: 3
  pod:
    persistentVolumeClaimSpec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
END
      kubectl wait --for jsonpath='{.status.readySize}'=3 --timeout=120s etcdcluster/my-cluster
      kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config`);
  });
  afterAll(() => reader?.[Symbol.asyncDispose]());

  const follow = (page: string, ...sections: readonly string[]) =>
    reader.follow(page, (section) => sections.includes(section));
  const put = (value: string) => reader.type(`kubectl etcd exec my-cluster -- etcdctl put needle ${value}`);
  const needle = async () => {
    const value = await reader.type('kubectl etcd exec my-cluster -- etcdctl get needle --print-value-only');
    return value.trim();
  };

  test('where to begin at night, and what to collect, of a cluster that is well', async () => {
    expect(await follow(night, '')).toBe(1);
    expect(await follow(report, 'One document', 'If there is no kubectl etcd')).toBe(2);
    expect(await reader.type('cat report.yaml cluster.yaml *.log')).toContain('kind: EtcdCluster');
  });

  // clients.md requires Go, python3 and a JDK of at least 17 on PATH (Debian: golang, python3,
  // openjdk-17-jdk-headless).
  test.each(longPages)('%s, from top to bottom', async (page) => {
    expect(await reader.follow(page)).toBeGreaterThan(0);
  });

  test('a leader that changes: the page shows how often, and moves it once more', async () => {
    const before = await seenChanges(reader);
    for (let times = 0; times < 3; times++) await reader.type('kubectl etcd move-leader my-cluster');
    expect(await follow(slowDisk, 'Which member?', 'One member only')).toBe(2);
    expect((await seenChanges(reader)) - before).toBeGreaterThanOrEqual(4);
  });

  test('a member whose data is damaged: the page shows why it ends, and has it replaced', async () => {
    await put('kept');
    const [pod = '', volume = ''] = (
      await reader.type(
        `kubectl get pvc -l etcd_cluster=my-cluster -o jsonpath='{.items[0].metadata.name} {.items[0].spec.volumeName}'`,
      )
    ).split(' ');
    const folder = (await reader.type('dirname "$KUBECONFIG"')).trim();
    await damage(`${folder}/disks/${volume}/data/member/snap/db`);
    await reader.type(`kubectl delete pod ${pod} --grace-period=1
      until kubectl get pod ${pod} | grep CrashLoopBackOff; do sleep 1; done`);
    expect(await reader.type('kubectl etcd doctor my-cluster')).toContain('CrashLoopBackOff');
    expect(await follow(crashLooping, 'Why does it end?', 'Replace it now')).toBe(2);
    expect(await reader.type('kubectl get pods -l etcd_cluster=my-cluster -o name')).not.toContain(pod);
    expect(await needle()).toBe('kept');
  });

  test('a backup that is refused by its store, until the Secret is right', async () => {
    await reader.type(`kubectl create secret generic wrong --from-literal=credentials='[default]
aws_access_key_id = somebody
aws_secret_access_key = wrong' --from-file=$AWS_DIR/config --dry-run=client -o yaml | sed 's/name: wrong/name: aws/' | kubectl replace -f -
      kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: { name: my-backup }
spec:
  clusterRef: { name: my-cluster }
  storageType: S3
  backupPolicy: { backupIntervalInSecond: 3600, maxBackups: 2 }
  s3: { path: my-bucket/nightly.backup, awsSecret: aws }
END
      kubectl wait --for condition=Succeeded=False --timeout=120s etcdbackup/my-backup`);
    expect(await follow(backupTooOld, 'Why?')).toBe(1);
    const reason = `{.status.conditions[?(@.type=="Succeeded")].reason}`;
    const page = await reader.type(`kubectl get etcdbackup my-backup -o jsonpath='${reason}'`);
    expect(page).toBe('AccessDenied');
    expect(await follow(backupTooOld, 'New credentials', 'Do not wait for the schedule')).toBe(3);
  });

  test('a version that cannot be reached: the page shows why the cluster is stalled, and how it goes on', async () => {
    await reader.type(`kubectl patch etcdcluster my-cluster --type merge -p '{"spec":{"version":"3.4.23"}}'
      kubectl wait --for condition=Stalled --timeout=120s etcdcluster/my-cluster`);
    expect(await follow(stalled, 'Why?', 'It was a change of yours')).toBe(2);
  });

  test('a backup that was good and is damaged in its store: the page shows it, and another one is made', async () => {
    const prove = JSON.stringify({ spec: { prove: { schedule: '* * * * *' } } });
    await reader.type(`kubectl patch etcdbackup my-backup --type merge -p '${prove}'
      kubectl wait --for condition=Proven --timeout=240s etcdbackup/my-backup`);
    const path = await reader.type(`kubectl get etcdbackup my-backup -o jsonpath='{.status.lastProven.path}'`);
    await damage((await reader.type(`find "$(dirname "$KUBECONFIG")" -path '*/${path.trim()}'`)).trim());
    await reader.type('kubectl wait --for condition=Proven=False --timeout=240s etcdbackup/my-backup');
    expect(await follow(backupNotProven, 'Why?', 'Make another backup now', 'If you must restore now')).toBe(3);
  });

  test('a restore that finds no node: rolled back by deleting it, or carried through', async () => {
    await put('newer-than-the-backup');
    const restore = `kubectl cordon $(kubectl get nodes -o jsonpath='{.items[*].metadata.name}')
      kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdRestore
metadata: { name: my-restore }
spec:
  etcdCluster: { name: my-cluster }
  backupStorageType: S3
  s3: { path: my-bucket/by-hand.backup, awsSecret: aws }
END
      kubectl wait --for jsonpath='{.status.phase}'=Seeding --timeout=180s etcdrestore/my-restore`;
    await reader.type(restore);
    expect(await follow(restoreStuck, 'What does it wait for?')).toBe(1);
    expect(await follow(restoreStuck, 'Stop it, and have the cluster back as it was')).toBe(1);
    expect(await needle()).toBe('newer-than-the-backup');
    await reader.type(restore);
    expect(await follow(restoreStuck, 'The new pod does not start')).toBe(1);
    expect(await needle()).toBe('kept');
  });
});

test('an operator that is upgraded, what to collect of it, and a namespace that waits for one that is gone', async () => {
  await using reader = await Reader.sitDown('--empty');
  expect(await reader.follow(installPage, (section) => section === 'One file')).toBe(1);
  await reader.type(`kubectl create namespace team-a
    kubectl create secret generic aws --namespace team-a --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config
    kubectl apply --namespace team-a -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: my-cluster }
spec: { size: 1 }
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: { name: kept }
spec:
  clusterRef: { name: my-cluster }
  storageType: S3
  deletionPolicy: Delete
  s3: { path: my-bucket/team-a.backup, awsSecret: aws }
END
    kubectl wait --for jsonpath='{.status.succeeded}'=true --timeout=180s --namespace team-a etcdbackup/kept`);
  const uid = "kubectl get pods --namespace team-a -o jsonpath='{.items[*].metadata.uid}'";
  const members = await reader.type(uid);
  expect(await reader.follow(operatorUpgrade)).toBe(4);
  expect(await reader.type(uid)).toBe(members);
  expect(await reader.follow(report, (section) => section === 'Of the operator')).toBe(1);
  expect(await reader.type('cat operator.log')).toContain('team-a');
  await reader.type(`kubectl scale deployment etcd-operator --namespace etcd-operator --replicas=0
    kubectl wait --for delete pods --all --namespace etcd-operator --timeout=60s
    kubectl delete namespace team-a --wait=false
    until ! kubectl get pods --namespace team-a -o name | grep .; do sleep 1; done`);
  const sections = ['What is left in it?', 'Does an operator work there?', 'The operator is permanently gone'];
  expect(await reader.type('kubectl get namespace team-a')).toContain('Terminating');
  expect(await reader.follow(namespaceStuck, (section) => sections.includes(section))).toBe(3);
  expect(await reader.type('kubectl get namespaces')).not.toContain('team-a');
});

/** The largest number of leader changes that a member of the cluster has seen. */
async function seenChanges(reader: Reader): Promise<number> {
  const printed = await reader.type(`for pod in $(kubectl get pods -l etcd_cluster=my-cluster -o name | cut -d/ -f2); do
    kubectl get --raw /api/v1/namespaces/default/pods/$pod:2381/proxy/metrics | grep '^etcd_server_leader_changes_seen_total '
  done`);
  return Math.max(...[...printed.matchAll(/ (\d+)$/gm)].map(([, count]) => Number(count)));
}

/** Overwrites a file in place with data that is not a database. */
async function damage(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size, 'damaged'), 0, size, 0);
}
