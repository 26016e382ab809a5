// SPDX-License-Identifier: Apache-2.0
/** The plugin, installed as in the guide, and used outside of the repository. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { type Lab, startLab } from '@operator-parts/kube-lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');

interface Typed {
  readonly status: number | string;
  readonly out: string;
  readonly err: string;
}

let home: string;
let lab: Lab;
let path: string;

function type(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Typed> {
  const environment = { PATH: path, HOME: home, KUBECONFIG: lab.kubeconfigPath, ...env };
  return new Promise((resolve) => {
    execFile('bash', ['-e', '-c', script], { cwd, env: environment }, (error, out, err) =>
      resolve({ status: error ? (error.code ?? 1) : 0, out, err }),
    );
  });
}

beforeAll(async () => {
  const kubectl = await ensurePart('kubectl');
  home = await mkdtemp(join(tmpdir(), 'plugin-'));
  lab = await startLab({ nodes: 0 });
  const folders = [join(home, '.local/bin'), dirname(kubectl.programs['kubectl'] ?? ''), dirname(process.execPath)];
  path = [...folders, process.env['PATH'] ?? ''].join(delimiter);
  const [install] = blocksOf(join(repository, 'docs/guide/kubectl-etcd.md')).filter(
    ({ language }) => language === 'bash',
  );
  const { status, err } = await type(install?.content ?? 'exit 9', repository);
  expect({ status, err: status === 0 ? '' : err }).toEqual({ status: 0, err: '' });
}, 300_000);

afterAll(async () => {
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});

describe('the plugin, installed as its page says', { timeout: 120_000 }, () => {
  test('is found by kubectl, which has nothing to complain of', async () => {
    const { status, out, err } = await type('kubectl plugin list', home);
    expect({ status, warned: err.includes('kubectl-etcd') }).toEqual({ status: 0, warned: false });
    expect(out).toContain(join(home, '.local/bin/kubectl-etcd'));
    expect(await type('kubectl etcd --version', home)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^kubectl-etcd \d/),
    });
  });

  test('asks the API server of the kubeconfig, from a folder outside of the repository', async () => {
    const definition = join(repository, 'deploy/crds/etcdclusters.yaml');
    const manifest = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdCluster',
      metadata: { name: 'mine' },
      spec: { size: 3 },
    };
    await writeFile(join(home, 'mine.json'), JSON.stringify(manifest));
    const served = `kubectl create -f ${definition} && kubectl wait --for condition=Established crd --all`;
    const made = `${served} && kubectl create -f mine.json`;
    expect(await type(made, home)).toMatchObject({ status: 0 });
    const seen = await type('kubectl etcd status mine', home);
    expect(seen).toMatchObject({ status: 0, err: '' });
    expect(seen.out).toContain('EtcdCluster default/mine   no operator manages it yet');
    expect(await type('kubectl etcd status nobody', home)).toMatchObject({
      status: 1,
      err: 'error: there is no EtcdCluster nobody in namespace default\n',
    });
  });

  test('kubectl itself shows beside the phase whether clients are served', async () => {
    const lost = { phase: 'Running', conditions: [{ type: 'Available', status: 'False', reason: 'QuorumLost' }] };
    await writeFile(join(home, 'lost.json'), JSON.stringify({ status: lost }));
    const reported = 'kubectl patch etcdcluster mine --subresource=status --type=merge --patch-file=lost.json';
    const seen = await type(`${reported} && kubectl get etcdcluster mine && kubectl etcd status mine`, home);
    expect(seen.out).toMatch(/ PHASE +AVAILABLE +AGE\nmine +3 .* Running +False /);
    expect(seen.out).toContain('EtcdCluster default/mine   not available (QuorumLost)   0 of 3 ready');
  });

  test('works as a link too, and in a folder whose package.json says that files are ES modules', async () => {
    await writeFile(join(home, 'package.json'), '{ "type": "module" }');
    const linked = 'mkdir links && ln -s ../.local/bin/kubectl-etcd links/kubectl-etcd && links/kubectl-etcd --version';
    expect(await type(linked, home)).toMatchObject({ status: 0, err: '' });
    await rm(join(home, 'package.json'));
  });

  test('says in one sentence which Node it needs when it gets an older one', async () => {
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });";
    await writeFile(join(home, 'older.cjs'), older);
    expect(await type('kubectl etcd status', home, { NODE_OPTIONS: `--require ${join(home, 'older.cjs')}` })).toEqual({
      status: 1,
      out: '',
      err: 'error: kubectl-etcd needs Node 24 or newer, and this is Node 20.20.2: install it from nodejs.org, or put it first on PATH.\n',
    });
  });

  test('runs with the Node that this machine has, or says the same', async () => {
    const path = [join(home, '.local/bin'), process.env['PATH'] ?? ''].join(delimiter);
    const { status, out, err } = await type('kubectl-etcd --version', home, { PATH: path });
    expect(status === 0 ? out : err).toMatch(
      /^(kubectl-etcd \d.*|error: kubectl-etcd needs Node 24 or newer, and this is Node [\d.]+: .*)\n$/,
    );
  });
});
