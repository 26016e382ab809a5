// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestAuthority } from '@etcd-operator/tools';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { defaultVersion, formatVersion } from '@operator-parts/etcd';
import { cronJobs, jobs, secrets } from '@operator-parts/kube';
import { type ImageSet, nodeProgramsImage } from '@operator-parts/kube-lab';
import { silentLogger } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EtcdBackup, type EtcdBackupStatus, etcdBackups } from '../api/etcd-backup.ts';
import { runEtcdBackupOperator } from '../backup-operator.ts';
import { operatorImageName } from '../image.ts';
import { OperatorLab } from '../testing/operator-lab.ts';

const run = promisify(execFile);
const example = (file: string) =>
  fileURLToPath(new URL(`../../../../example/etcd-backup-operator/${file}`, import.meta.url));

let ground: OperatorLab;
let s3: S3Server;
const stop = new AbortController();
let operator: Promise<void>;

beforeAll(async () => {
  [ground, s3] = await Promise.all([OperatorLab.start({ images: [operatorImages()] }), startVersitygw()]);
  const { lab } = ground;
  operator = runEtcdBackupOperator(
    {
      client: lab.client(),
      log: silentLogger,
      namespace: 'default',
      identity: 'test',
      leaderElection: false,
      dial: ({ host, port }) => lab.dial(host, port),
      storage: { policy: { allowLocal: true } },
    },
    stop.signal,
  );
  operator.catch(() => undefined);
  const { accessKeyId, secretAccessKey, region } = s3;
  await secret('aws', {
    credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    config: `[default]\nregion = ${region}\n`,
  });
});

afterAll(async () => {
  stop.abort();
  await operator?.catch(() => undefined);
  await Promise.all([ground?.[Symbol.asyncDispose](), s3?.stop()]);
});

async function secret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  await ground.lab
    .client()
    .resource(secrets)
    .create({ metadata: { name, namespace: 'default' }, data: Object.fromEntries(encoded) });
}

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** The operator's image with the program that the CronJob runs, built from this repository. */
function operatorImages(): ImageSet {
  const [name = '', tag = ''] = operatorImageName.split(/:(?=[^:/]*$)/);
  const programs = { 'kubectl-etcd': `${repository}apps/kubectl-etcd/src/programs/kubectl-etcd.ts` };
  const directories = ['apps', 'packages', 'node_modules'].map((folder) => `${repository}${folder}`);
  return { repositories: [name], tags: { [tag]: nodeProgramsImage({ programs, directories }) } };
}

const backupsPath = '/apis/etcd.database.coreos.com/v1beta2/namespaces/default/etcdbackups';

/** Creates the objects of a file, as `kubectl create -f -` does. */
async function createFrom(yaml: string, path = backupsPath): Promise<void> {
  await ground.until('created', async () => {
    const transport = ground.lab.server.transport();
    const headers = { 'content-type': 'application/yaml' };
    const { status, body } = await transport.request({ method: 'POST', path, headers, body: yaml });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    if (status !== 201 && status !== 404) throw new Error(Buffer.concat(pieces).toString());
    return status === 201 ? true : undefined;
  });
}

async function succeeded(name: string, milliseconds = 180_000): Promise<EtcdBackupStatus> {
  const backups = ground.lab.client().resource(etcdBackups.resource);
  const get = async (): Promise<EtcdBackup> => backups.get({ namespace: 'default', name });
  return ground.until(
    name,
    async () => {
      // The members appear behind the client Service a moment after the cluster is available. Until then the backup is retried.
      const { status } = await get();
      return status?.succeeded ? status : undefined;
    },
    milliseconds,
    async () => JSON.stringify((await get()).status),
  );
}

/** The example after the walk-through's own commands. The last command replaces AWS by the store of the test. */
async function filled(file: string, endpoints: string, key: string): Promise<string> {
  const { stdout } = await run('sed', [
    '-e',
    `s|<full-s3-path>|${s3.bucket}/${key}|g`,
    '-e',
    's|<aws-secret>|aws|g',
    '-e',
    `s|<etcd-cluster-endpoints>|${endpoints}|g`,
    '-e',
    `s|^    awsSecret: .*|&\\n    endpoint: ${s3.endpoint}\\n    forcePathStyle: true|`,
    example(file),
  ]);
  return stdout;
}

test('[3] [74] C-30: a TLS cluster of three by all its members, then the walk-through’s files by sed', async () => {
  const authority = await TestAuthority.create('lab');
  const members = ['*.example-etcd-cluster.default.svc', '*.example-etcd-cluster.default.svc.cluster.local'];
  const issue = async (role: string, names: readonly string[]) => {
    const { cert, key } = await authority.issue({ names, ...(names.length === 0 && { usages: ['clientAuth'] }) });
    const keys = role === 'client' ? 'etcd-client' : role;
    await secret(`etcd-${role}-tls`, { [`${keys}.crt`]: cert, [`${keys}.key`]: key, [`${keys}-ca.crt`]: authority.ca });
  };
  await issue('peer', members);
  await issue('server', [...members, 'example-etcd-cluster-client.default.svc', 'localhost']);
  await issue('client', []);
  const cluster = 'example-etcd-cluster';
  await ground.create(cluster, {
    size: 3,
    TLS: {
      static: {
        member: { peerSecret: 'etcd-peer-tls', serverSecret: 'etcd-server-tls' },
        operatorSecret: 'etcd-client-tls',
      },
    },
  });
  await ground.settled(cluster);
  const pods = await ground.pods(cluster);
  const urls = pods.map(({ metadata }) => `"https://${metadata?.name}.${cluster}.default.svc:2379"`).join(', ');
  const tls = (yaml: string) => `${yaml}  clientTLSSecret: etcd-client-tls\n`;
  await createFrom(tls(await filled('backup_cr.yaml', urls, 'etcd.backup')));
  const status = await succeeded('example-etcd-cluster-backup');
  expect(status).toMatchObject({ etcdRevision: 1, etcdVersion: formatVersion(defaultVersion), Reason: '' });
  const service = '"https://example-etcd-cluster-client.default.svc:2379"';
  await createFrom(tls(await filled('periodic_backup_cr.yaml', service, 'often.backup')));
  const periodic = await succeeded('example-etcd-cluster-periodic-backup');
  expect(periodic.lastBackup?.path).toMatch(/often\.backup_v1_\d{4}-/);
});

const paths: Readonly<Record<string, string>> = {
  ServiceAccount: '/api/v1/namespaces/default/serviceaccounts',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
  CronJob: '/apis/batch/v1/namespaces/default/cronjobs',
};

test('the CronJob of the example runs kubectl-etcd in a pod, with the rights that the example gives it, and a backup is made', async () => {
  const yaml = await filled('cronjob.yaml', '', 'nightly.backup');
  const toTestStore = `$&\n$1- --s3-endpoint=${s3.endpoint}\n$1- --path-style`;
  for (const document of yaml.replace(/^( +)- --wait$/m, toTestStore).split(/^---$/m)) {
    const kind = /^kind: (.*)$/m.exec(document)?.[1] ?? '';
    await createFrom(document, paths[kind]);
  }
  const client = ground.lab.client();
  const cron = await client.resource(cronJobs).get({ namespace: 'default', name: 'etcd-backup' });
  // Starts at once what the schedule would start, as `kubectl create job --from=cronjob/etcd-backup` does.
  const { spec } = cron.spec?.jobTemplate ?? {};
  if (!spec) throw new Error('the CronJob has no template');
  await client.resource(jobs).create({ metadata: { namespace: 'default', name: 'etcd-backup-now' }, spec });
  const job = () => client.resource(jobs).get({ namespace: 'default', name: 'etcd-backup-now' });
  await ground.until(
    'the job is done',
    async () => ((await job()).status?.succeeded === 1 ? true : undefined),
    120_000,
    async () => JSON.stringify((await job()).status),
  );
  const { items } = await client.resource(etcdBackups.resource).list({ namespace: 'default' });
  const isOurs = (path: string) => path.startsWith(`${s3.bucket}/nightly.backup_2`);
  const made = items.filter(({ spec: { s3: to } }) => isOurs(to?.path ?? ''));
  expect(made).toHaveLength(1);
  expect(made[0]?.spec).toMatchObject({ clusterRef: { name: 'example-etcd-cluster' } });
  const status = await succeeded(made[0]?.metadata?.name ?? '');
  expect(status.lastBackup?.path).toMatch(/\/nightly\.backup_\d{14}$/);
  // The EtcdBackup is deleted with its Job, as happens through the history limits of the CronJob.
  await client
    .resource(jobs)
    .delete({ namespace: 'default', name: 'etcd-backup-now' }, { propagationPolicy: 'Background' });
  await ground.until('the EtcdBackup is gone', async () => {
    const { items: left } = await client.resource(etcdBackups.resource).list({ namespace: 'default' });
    return left.some(({ spec: { s3: to } }) => isOurs(to?.path ?? '')) ? undefined : true;
  });
}, 300_000);
