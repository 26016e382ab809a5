// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { clusterInFile } from './changed-file.ts';
import { parseCommandLine } from './command-line.ts';
import { backupOf } from './commands/backup-object.ts';
import { runCommand } from './run-command.ts';
import { clusterOf, noon } from './testing/imagined-cluster.ts';

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
      s3: { path: 'b/k', awsSecret: 'aws', forcePathStyle: false },
    });
  });

  test.each([
    ['stauts', 'there is no command "stauts"'],
    ['status a b', 'status takes at most 1 name: a b'],
    ['status -f x', 'status does not take --file'],
    ['status -o xml', '-o xml: known are wide, json and yaml'],
    ['status --colour', "unknown option '--colour'"],
    ['backup list', 'the only thing to do with backups'],
    ['backup create --aws-secret aws', '--s3-path BUCKET/KEY'],
    ['restore c --s3-path b --aws-secret aws', 'write it as BUCKET/KEY'],
    ['restore c --s3-path b/k', '--aws-secret NAME'],
    ['restore c --s3-path b/k --aws-secret a --timeout soon', 'write it like 90s'],
  ])('"%s" is refused with words that help', (text, message) => {
    expect(() => parse(text)).toThrow(message);
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

  test('ends with 2 for what another command line would mend', async () => {
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
    ['kind: Pod', 'holds no EtcdCluster'],
    [`${cluster}---\n${cluster}`, 'holds 2 EtcdClusters'],
  ])('%j is refused', (text, message) => {
    expect(() => clusterInFile('x.yaml', text)).toThrow(message);
  });
});

test("a backup goes through the cluster's client Service, with its certificates and its login", () => {
  const tls = { static: { operatorSecret: 'op', member: { serverSecret: 's' } } };
  const s3 = { path: 'b/k', awsSecret: 'aws', endpoint: undefined, forcePathStyle: false };
  expect(
    backupOf(clusterOf({ size: 3, TLS: tls, auth: { secret: 'root' } }), { name: undefined, s3 }, noon),
  ).toMatchObject({
    metadata: { name: 'example-20260101120000', namespace: 'default' },
    spec: {
      etcdEndpoints: ['https://example-client.default.svc:2379'],
      storageType: 'S3',
      s3: { path: 'b/k', awsSecret: 'aws' },
      clientTLSSecret: 'op',
      auth: { secret: 'root' },
    },
  });
});
