// SPDX-License-Identifier: Apache-2.0
/** The tutorials' walk-through, typed as printed into the shell of a playground, without additions. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { startTyping } from './testing/typed.ts';

/** As printed. */
const backUp = String.raw`sed -e 's|<full-s3-path>|mybucket/etcd.backup|g' \
    -e 's|<aws-secret>|aws|g' \
    -e 's|<etcd-cluster-endpoints>|"http://example-etcd-cluster-client:2379"|g' \
    example/etcd-backup-operator/backup_cr.yaml \
    | kubectl create -f -`;

test('the walk-through works in an empty playground from its first line', async () => {
  await using terminal = startTyping(['--empty']);
  const { playground, type, sees } = terminal;
  await playground.says(/operator: no operator is running/);
  await playground.says(/an S3 server is running/);

  expect(await type('example/rbac/create_role.sh')).toBe(
    'clusterrole.rbac.authorization.k8s.io/etcd-operator created\n' +
      'clusterrolebinding.rbac.authorization.k8s.io/etcd-operator created\n',
  );
  expect(await type('kubectl create -f example/deployment.yaml')).toBe('deployment.apps/etcd-operator created\n');
  // Only the operator's own pod is in the reader's namespace.
  await sees('kubectl get pods', /^NAME.*\netcd-operator-\w+-\w+ +1\/1 +Running +0 +\d+s\n$/);
  await sees('kubectl get crd', /^NAME +CREATED AT\netcdclusters\.etcd\.database\.coreos\.com +\S+\n$/);
  expect(await type('kubectl describe crd  etcdclusters.etcd.database.coreos.com')).toMatch(
    /Group: +etcd\.database\.coreos\.com\n[\s\S]*Kind: +EtcdCluster\n +List Kind: +EtcdClusterList\n +Plural: +etcdclusters\n +Short Names:\n +etcd\n +Singular: +etcdcluster\n +Scope: +Namespaced/,
  );
  await playground.says(/operator: pod\/etcd-operator-\w+-\w+ is active/);

  await type('kubectl apply -f example/example-etcd-cluster.yaml');
  await sees('kubectl get pods', /(\nexample-etcd-cluster-\w{10} +1\/1 +Running +0 .*){3}/);
  await type('etcdctl put foo bar');
  // The keys act on the cluster that the reader created.
  await playground.says(/Running 3\/3 {2}example-etcd-cluster-\w{10}/);

  await type('kubectl create -f example/etcd-backup-operator/deployment.yaml');
  await sees('kubectl get pod', /etcd-backup-operator-\w+-\w+ +1\/1 +Running +0/);
  await sees('kubectl get crd', /etcdbackups\.etcd\.database\.coreos\.com/);
  expect(await type('cat $AWS_DIR/credentials')).toMatch(
    /^\[default\]\naws_access_key_id = \S+\naws_secret_access_key = \S+\n$/,
  );
  expect(await type('cat $AWS_DIR/config')).toMatch(/^\[default\]\nregion = /);
  expect(
    await type('kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config'),
  ).toBe('secret/aws created\n');
  await type(backUp);
  await sees('kubectl get etcdbackups', /example-etcd-cluster-backup +true +2 /);
  // Every night, as a CronJob; the test triggers it earlier.
  await type(
    `sed -e 's|<full-s3-path>|mybucket/nightly|g' -e 's|<aws-secret>|aws|g' example/etcd-backup-operator/cronjob.yaml | kubectl create -f -`,
  );
  await type('kubectl create job --from=cronjob/etcd-backup tonight');
  await sees('kubectl logs job/tonight', /EtcdBackup \S+ has succeeded: mybucket\/nightly_\d{14} \(revision 2,/);

  await type('etcdctl put foo lost');
  await type('kubectl create -f example/etcd-restore-operator/deployment.yaml');
  await sees('kubectl get pods', /etcd-restore-operator-\w+-\w+ +1\/1 +Running +0/);
  const restore = String.raw`sed -e 's|<full-s3-path>|mybucket/etcd.backup|g' \
    -e 's|<aws-secret>|aws|g' \
    example/etcd-restore-operator/restore_cr.yaml \
    | kubectl create -f -`;
  await sees(restore, /etcdrestore\.etcd\.database\.coreos\.com\/example-etcd-cluster created/);
  await sees('kubectl get etcdrestore', /example-etcd-cluster .*Succeeded/, 150_000);
  await sees('kubectl get etcd', /example-etcd-cluster +3 +3 /);
  expect(await type('etcdctl get foo --print-value-only')).toBe('bar\n');
}, 300_000);

test('the script of the whole walk-through comes to its end in an empty playground', async () => {
  await using terminal = startTyping(['--empty']);
  const { playground, type } = terminal;
  await playground.says(/an S3 server is running/);
  await type('mkdir -p $AWS_DIR/home && ln -s $AWS_DIR $AWS_DIR/home/.aws');
  const words = await type('HOME=$AWS_DIR/home S3_PATH=mybucket/etcd.backup example/walk-through.sh');
  expect(words).toContain('The walk-through is complete.');
}, 300_000);

test('an upgrade by editing the file and applying it goes through, and 3.2.13 is answered by the versions there are', async () => {
  await using terminal = startTyping(['--size', '1']);
  const { playground, type, sees } = terminal;
  await playground.says(/ s {2}available/);
  await type('cp example/example-etcd-cluster.yaml $AWS_DIR/cluster.yaml');
  await type(`sed -i -e 's|size: 3|size: 1|' -e 's|"3.6.16"|"3.2.13"|' $AWS_DIR/cluster.yaml`);
  await type('kubectl apply -f $AWS_DIR/cluster.yaml');
  await sees(
    'kubectl describe etcd example-etcd-cluster',
    /Warning +VersionUnsupported .*spec\.version is 3\.2\.13, which no longer gets fixes\. Supported versions: 3\.5\.\d+, 3\.6\.\d+, 3\.7\.\d+\./,
  );
  await sees(
    'kubectl describe pods',
    /Failed to pull image "quay\.io\/coreos\/etcd:v3\.2\.13".*\(the playground has etcd 3\./,
  );
  await playground.says(/a pod needs etcd 3\.2\.13, which the playground does not have: the playground has etcd /);

  await type(`sed -i 's|"3.2.13"|"3.6.16"|' $AWS_DIR/cluster.yaml`);
  await type('kubectl apply -f $AWS_DIR/cluster.yaml');
  await sees('kubectl get etcd', /example-etcd-cluster +1 +1 +3\.6\.16 +Running/);
  await type(`sed -i 's|"3.6.16"|"3.7.3"|' $AWS_DIR/cluster.yaml`);
  await type('kubectl apply -f $AWS_DIR/cluster.yaml');
  await sees('kubectl get etcd', /example-etcd-cluster +1 +1 +3\.7\.3 +Running/);
  const image = await type(
    "kubectl get pods -l etcd_cluster=example-etcd-cluster -o jsonpath='{..containers[0].image}'",
  );
  expect(image).toBe('quay.io/coreos/etcd:v3.7.3');
}, 300_000);

test('a missing version of etcd is reported with how to get it, and is pulled as soon as it exists', async () => {
  const part = await ensurePart('etcd@3.7');
  const cache = mkdtempSync(join(tmpdir(), 'playground-cache-'));
  const parts = join(cache, 'parts');
  mkdirSync(parts);
  for (const name of readdirSync(dirname(part.directory)).filter((entry) => entry !== basename(part.directory)))
    symlinkSync(join(dirname(part.directory), name), join(parts, name));
  try {
    await using terminal = startTyping(['--size', '1'], { ETCD_OPERATOR_CACHE: cache });
    const { playground, type, sees } = terminal;
    await playground.says(/etcd versions here: [\d., ]+3\.6\.\d+/);
    await playground.says(/ s {2}available/);
    await type(
      `sed -e 's|size: 3|size: 1|' -e 's|"3.6.16"|"3.7.3"|' example/example-etcd-cluster.yaml | kubectl apply -f -`,
    );
    const way = /the playground has etcd [\d., ]+; run "npm run tools -- etcd@3\.7" in another terminal to get 3\.7\.3/;
    expect(await sees('kubectl describe pods', way)).toContain('Failed to pull image "quay.io/coreos/etcd:v3.7.3"');
    await playground.says(way);
    // The result of npm run tools.
    symlinkSync(part.directory, join(parts, basename(part.directory)));
    await sees('kubectl get etcd', /example-etcd-cluster +1 +1 +3\.7\.3 +Running/);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}, 300_000);

test('a deployed operator and the built-in one never act together, and the screen says which is at work', async () => {
  await using terminal = startTyping(['--size', '1']);
  const { playground, type, sees } = terminal;
  await playground.says(/operator: the built-in operator is active/);
  await playground.says(/ s {2}available/);
  await type('example/rbac/create_role.sh');
  await type('kubectl create -f example/deployment.yaml');
  await playground.says(/operator: the built-in operator is active; waiting for the lease: pod\/etcd-operator-\w+-\w+/);
  await sees('kubectl get pods', /etcd-operator-\w+-\w+ +1\/1 +Running/);
  await type('kubectl apply -f example/example-etcd-cluster.yaml');
  await sees('kubectl get pods', /(\nexample-etcd-cluster-\w{10} +1\/1 +Running +0 .*){3}/);
  const holder = await type("kubectl get lease etcd-operator -o jsonpath='{.spec.holderIdentity}'");
  expect(holder).toBe('playground');
  expect(await type('kubectl logs deployment/etcd-operator')).not.toContain('became leader');

  // The same applies to the backup operator; the reader's own Secret has the printed name.
  await playground.says(/backups can be taken/);
  await type('kubectl create -f example/etcd-backup-operator/deployment.yaml');
  await type('kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config');
  await type(backUp);
  await sees('kubectl get etcdbackups', /example-etcd-cluster-backup +true /);
  // Typing it twice gives an error, and nothing is overwritten.
  await type(backUp.replace('| kubectl', "| sed 's|name: example-etcd-cluster-backup|name: again|' | kubectl"));
  await sees(
    'kubectl get etcdbackup again -o wide',
    /mybucket\/etcd\.backup holds the backup that EtcdBackup default\/example-etcd-cluster-backup made at/,
  );
}, 300_000);
