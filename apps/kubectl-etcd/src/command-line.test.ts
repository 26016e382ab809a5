// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clusterInFile } from './changed-file.ts';
import { parseCommandLine } from './command-line.ts';
import { backupOf } from './commands/backup-object.ts';
import { usage } from './help.ts';
import { runCommand } from './run-command.ts';
import { clusterOf, noon } from './testing/simulated-cluster.ts';

const parse = (text: string) => parseCommandLine(text.split(' ').filter((word) => word !== ''));

describe('the command line', () => {
  test('is read with its options in any order', () => {
    expect(parse('-n web plan -o json --context dev -f x.yaml c')).toEqual({
      command: { kind: 'plan', cluster: 'c', file: 'x.yaml' },
      output: 'json',
      kubeconfig: undefined,
      context: 'dev',
      namespace: 'web',
    });
  });

  test('of a backup names the store', () => {
    const { command } = parse('backup create c --s3-path b/k --aws-secret aws --wait --timeout 2m');
    expect(command).toMatchObject({
      kind: 'backup',
      cluster: 'c',
      wait: true,
      timeout: 120_000,
      store: { type: 'S3', path: 'b/k', fields: { awsSecret: 'aws' } },
    });
  });

  test.each([
    ['stauts', 'there is no command "stauts"'],
    ['status a b', 'status takes at most 1 name: a b'],
    ['status -f x', 'status does not take --file'],
    ['status -o xml', '-o xml: must be wide, json or yaml'],
    ['status --colour', "unknown option '--colour'"],
    ['backup delete', 'there is no command "backup delete": use kubectl etcd backup list'],
    ['backup', 'the command after "backup" is missing: use kubectl etcd backup list'],
    ['backup browse', 'name the backup'],
    ['backup browse live', 'live is not a backup'],
    ['backup browse a b c', 'too many arguments: c; usage: kubectl etcd backup browse'],
    ['backup browse a --revision 0', 'must be a number greater than 0'],
    ['backup browse a --wait', 'backup browse does not take --wait'],
    ['backup browse A_b', 'Write the NAME of an EtcdBackup, NAME:PATH'],
    ['backup browse abs://b/k', '--secret NAME'],
    ['backup list --store abs://b/k', '--secret NAME'],
    ['backup list c --store s3://b/k', '--store URL lists a backup store, not a cluster: leave out c'],
    ['backup list --stored -A', 'leave out -A'],
    ['backup list --secret aws', '--secret needs --stored or --store URL'],
    ['backup list c d --stored', 'too many arguments: d'],
    ['backup diff a', 'name the two sides to compare'],
    ['backup list --values', 'backup list does not take --values'],
    ['help nonsense', 'there is no command "nonsense"'],
    ['help constructor', 'there is no command "constructor"'],
    ['backup create --aws-secret aws', '--s3-path BUCKET/KEY'],
    ['restore c --s3-path b --aws-secret aws', 'must have the form BUCKET/KEY'],
    ['restore c --s3-path b/k', '--aws-secret NAME'],
    ['restore c --s3-path b/k --aws-secret a --add-time', 'restore does not take --add-time'],
    ['restore c --s3-path b/k --aws-secret a --dry-run', '--dry-run needs at least one --prefix PREFIX'],
    ['restore c --s3-path b/k --aws-secret a --overwrite', '--overwrite needs at least one --prefix PREFIX'],
    ['backup browse b --at yesterday', 'not a valid time. Example: 2026-11-18T14:32:00Z'],
    ['backup browse b --at 2026-11-18T14:32:00Z --revision 7', 'use --at or a revision, not both'],
    ['recover c --s3-path b/k', 'recover does not take --s3-path'],
    ['backup create c --s3-path b/k --aws-secret a --owner-job nightly', 'must have the form NAME/UID'],
    ['restore c --s3-path b/k --aws-secret a --timeout soon', 'must be a time such as 90s'],
    ['backup create c --store ftp://b/k', 'must begin with s3://, abs://, gs://, oss:// or directory://'],
    ['backup create c --store s3://b --secret a', 'must have the form s3://BUCKET/KEY'],
    ['backup create c --store abs://b/k', '--secret NAME'],
    ['backup create c --store directory://x --secret a', '--secret and --endpoint cannot be used with directory://'],
    ['backup create c --store s3://b/k --secret a --s3-path b/k', 'not both'],
    ['exec c', 'write the command to run after --'],
    ['status c -- etcdctl', 'status takes no command after --'],
    ['logs --tail many', 'must be a number of lines'],
    ['doctor c -A', 'doctor takes at most 0 names'],
    ['exec c -o json -- etcdctl get x', 'exec does not take -o'],
    ['logs --follow -o yaml', 'Use -o json, which prints one object per line'],
    ['backup create --all-namespaces', 'backup create does not take --all-namespaces'],
  ])('"%s" is refused with words that help', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

describe('what to look into', () => {
  test.each([
    ['my-backup', { kind: 'backup', name: 'my-backup', path: undefined }],
    ['etcdbackup/live', { kind: 'backup', name: 'live', path: undefined }],
    ['often:my-bucket/often_v7_2026-01-31-15:57:59', { name: 'often', path: 'my-bucket/often_v7_2026-01-31-15:57:59' }],
    ['gs://b/k', { kind: 'store', store: { type: 'GCS', path: 'b/k' } }],
    ['live', { kind: 'live', cluster: undefined }],
    ['etcdcluster/c', { kind: 'live', cluster: 'c' }],
  ])('%s', (name, found) => {
    expect(parse(`backup diff other ${name}`).command).toMatchObject({ to: found, values: false });
  });
});

describe('a store', () => {
  test.each([
    [
      's3://b/k --secret s --endpoint http://x --path-style',
      's3',
      { path: 'b/k', awsSecret: 's', endpoint: 'http://x', forcePathStyle: true },
    ],
    ['abs://c/k --secret s', 'abs', { path: 'c/k', absSecret: 's' }],
    ['gs://b/k', 'gcs', { path: 'b/k' }],
    ['oss://b/k/l --secret s', 'oss', { path: 'b/k/l', ossSecret: 's' }],
    ['directory://a/b.db', 'directory', { path: 'a/b.db' }],
  ])('%s', (words, field, source) => {
    const { command } = parse(`backup create c --store ${words}`);
    if (command.kind !== 'backup' || command.action !== 'create') throw new Error(command.kind);
    expect(backupOf(clusterOf({ size: 3 }), command, noon).spec).toMatchObject({ [field]: source });
  });
});

describe('the program', () => {
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const status = await runCommand(
      args,
      {
        env: {},
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
        readFile: async () => '',
      },
      new AbortController().signal,
    );
    return { status, out, err };
  };

  test('tells how it is used, and its version', async () => {
    expect((await run()).out).toContain('kubectl etcd status');
    expect((await run('--version')).out).toMatch(/^kubectl-etcd \d+\.\d+\.\d+\n$/);
  });

  const commands = [...usage.matchAll(/^ {2}kubectl etcd ([\w-]+)/gm)].map(([, verb = '']) => verb);

  test.each(commands)('tells how %s is used, with examples that it understands', async (verb) => {
    const { status, out } = await run(verb, '--help');
    expect(status).toBe(0);
    expect(out).toBe((await run('help', verb)).out);
    const examples = [...out.matchAll(/^ {2}(?:.*\| )?kubectl etcd (.*?)(?: {3,}.*)?$/gm)].map(
      ([, words = '']) => words,
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const words of examples) expect(parse(words.split(' > ')[0] ?? '').command.kind).toBe(verb);
  });

  test.each(['browse', 'diff'])('tells how backup %s is used, with examples that it understands', async (action) => {
    const { out } = await run('backup', action, '--help');
    expect(out).toBe((await run('help', 'backup', action)).out);
    const examples = [...out.matchAll(/^ {2}kubectl etcd (.*?)(?: {3,}.*)?$/gm)].map(([, words = '']) => words);
    expect(examples.length).toBeGreaterThan(3);
    for (const words of examples) expect(parse(words).command).toMatchObject({ kind: 'backup', action });
  });

  test('is named whole in the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [verbs = ''] = readme.split('How to use it');
    expect(new Set([...verbs.matchAll(/`([\w-]+)`/g)].map(([, verb]) => verb))).toEqual(new Set(commands));
  });

  test('exits with 2 for an error in the command line', async () => {
    expect(await run('nonsense')).toMatchObject({ status: 2, out: '' });
    expect(await run('status', '--kubeconfig', '/does/not/exist')).toMatchObject({
      status: 2,
      err: expect.stringContaining('/does/not/exist'),
    });
  });
});

describe('a file', () => {
  const cluster =
    'apiVersion: etcd.database.coreos.com/v1beta2\nkind: EtcdCluster\nmetadata: {name: c}\nspec: {size: 3}\n';

  test('may hold other objects beside the cluster', () => {
    expect(clusterInFile('x', `apiVersion: v1\nkind: Secret\n---\n${cluster}`).spec.size).toBe(3);
  });

  test.each([
    ['kind: [', 'is not YAML'],
    ['kind: Pod', 'contains no EtcdCluster'],
    [`${cluster}---\n${cluster}`, 'contains 2 EtcdClusters'],
  ])('%j is refused', (text, message) => {
    expect(() => clusterInFile('x.yaml', text)).toThrow(message);
  });
});

test('a backup names its cluster, which brings endpoints, certificates and login', () => {
  const tls = { static: { operatorSecret: 'op', member: { serverSecret: 's' } } };
  const store = { type: 'S3', path: 'b/k', fields: { awsSecret: 'aws' } } as const;
  const asked = { name: undefined, store, addTime: false, ownerJob: undefined };
  expect(backupOf(clusterOf({ size: 3, TLS: tls, auth: { secret: 'root' } }), asked, noon)).toMatchObject({
    metadata: { name: 'example-20260101120000', namespace: 'default' },
    spec: {
      clusterRef: { name: 'example' },
      storageType: 'S3',
      s3: { path: 'b/k', awsSecret: 'aws' },
    },
  });
});

test('a backup of a CronJob has a unique key, and is deleted with its Job', () => {
  const words = 'backup create c --s3-path b/k --aws-secret aws --add-time --owner-job nightly-29/0a1b-2c';
  const { command } = parse(words);
  if (command.kind !== 'backup' || command.action !== 'create') throw new Error(command.kind);
  const made = backupOf(clusterOf({ size: 3 }), command, noon);
  expect(made.spec.s3?.path).toBe('b/k_20260101120000');
  expect(made.metadata?.ownerReferences).toEqual([
    { apiVersion: 'batch/v1', kind: 'Job', name: 'nightly-29', uid: '0a1b-2c' },
  ]);
});
