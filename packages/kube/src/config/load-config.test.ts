// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { ClusterConfig } from './cluster-config.ts';
import type { Environment } from './in-cluster.ts';
import { loadConfig } from './load-config.ts';

const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const base64 = Buffer.from(pem).toString('base64');

function kubeconfig(parts: { cluster?: object; user?: object; context?: object; current?: string }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': parts.current ?? 'dev',
    clusters: [{ name: 'c', cluster: { server: 'https://api:6443', ...parts.cluster } }],
    users: [{ name: 'u', user: parts.user ?? {} }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u', ...parts.context } }],
  });
}

function load(
  files: Readonly<Record<string, string>>,
  options: { kubeconfig?: string; context?: string; env?: Environment } = {},
): Promise<ClusterConfig> {
  const readFile = async (path: string) => {
    const text = files[path];
    if (text !== undefined) return text;
    throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
  };
  return loadConfig({ env: {}, ...options, readFile });
}

const one = (parts: Parameters<typeof kubeconfig>[0]) =>
  load({ '/k/config': kubeconfig(parts) }, { kubeconfig: '/k/config' });

describe('a kubeconfig gives', () => {
  test('server, namespace and source', async () => {
    expect(await one({ context: { namespace: 'ns' } })).toEqual({
      server: 'https://api:6443',
      namespace: 'ns',
      credential: { kind: 'none' },
      source: 'context "dev" of /k/config',
    });
    expect((await one({})).namespace).toBe('default');
  });

  test('certificates from data, which wins over files, or from files beside it', async () => {
    const cluster = { 'certificate-authority-data': base64, 'certificate-authority': 'ca.pem' };
    const user = { 'client-certificate': 'me.pem', 'client-key': '/abs/me.key' };
    expect(await one({ cluster, user })).toMatchObject({
      certificateAuthority: { kind: 'data', pem },
      clientCertificate: { kind: 'file', path: '/k/me.pem' },
      clientKey: { kind: 'file', path: '/abs/me.key' },
    });
  });

  test.each<[object, object]>([
    [{ token: 't' }, { kind: 'token', token: 't' }],
    [
      { tokenFile: 'tok', token: 't' },
      { kind: 'token-file', path: '/k/tok' },
    ],
    [
      { username: 'a', password: 'b' },
      { kind: 'basic', username: 'a', password: 'b' },
    ],
    [{ token: '' }, { kind: 'none' }],
  ])('the credential of %j', async (user, credential) => {
    expect((await one({ user })).credential).toEqual(credential);
  });

  test('an exec plugin, its command relative to the file if it has a path', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/login',
      args: ['--x'],
      env: [{ name: 'A', value: 'b' }],
      provideClusterInfo: true,
      installHint: 'get it',
      interactiveMode: 'IfAvailable',
    };
    expect((await one({ user: { exec } })).credential).toEqual({
      kind: 'exec',
      plugin: {
        apiVersion: exec.apiVersion,
        command: '/k/bin/login',
        args: ['--x'],
        env: { A: 'b' },
        provideClusterInfo: true,
        installHint: 'get it',
      },
    });
    const bare = await one({ user: { exec: { ...exec, command: 'login' } } });
    expect(bare.credential).toMatchObject({ plugin: { command: 'login' } });
  });

  test('server name, proxy and impersonation', async () => {
    const cluster = { 'tls-server-name': 'kubernetes', 'proxy-url': 'http://proxy:3128' };
    const user = { as: 'bob', 'as-uid': '7', 'as-groups': ['g'], 'as-user-extra': { scope: ['a', 'b'] } };
    expect(await one({ cluster, user })).toMatchObject({
      serverName: 'kubernetes',
      proxyUrl: 'http://proxy:3128',
      impersonate: { user: 'bob', uid: '7', groups: ['g'], extra: { scope: ['a', 'b'] } },
    });
  });

  test('http:// servers, and YAML with anchors', async () => {
    const text = [
      'current-context: x',
      'clusters: [{name: c, cluster: {server: "http://127.0.0.1:8001"}}]',
      'contexts: [{name: x, context: &ctx {cluster: c}}, {name: y, context: *ctx}]',
    ].join('\n');
    expect(await load({ '/f': text }, { kubeconfig: '/f', context: 'y' })).toMatchObject({
      server: 'http://127.0.0.1:8001',
      source: 'context "y" of /f',
    });
  });
});

describe('errors name file, entry and field', () => {
  test.each<[string, Parameters<typeof kubeconfig>[0], string]>([
    ['no such context', { current: 'nope' }, '/k/config: context "nope" does not exist (known: "dev")'],
    [
      'no such cluster',
      { context: { cluster: 'x' } },
      'context "dev" of /k/config: cluster "x" does not exist (known: "c")',
    ],
    ['no such user', { context: { user: 'x' } }, 'context "dev" of /k/config: user "x" does not exist (known: "u")'],
    ['no server', { cluster: { server: '' } }, 'cluster "c" of /k/config: server is missing'],
    [
      'a server of another kind',
      { cluster: { server: 'api:6443' } },
      'cluster "c" of /k/config: server must start with',
    ],
    [
      'no verification',
      { cluster: { 'insecure-skip-tls-verify': true } },
      'cluster "c" of /k/config: insecure-skip-tls-verify is not supported',
    ],
    [
      'data that is no PEM',
      { cluster: { 'certificate-authority-data': 'eA==' } },
      'cluster "c" of /k/config: certificate-authority-data is not base64-encoded PEM',
    ],
    [
      'a certificate without key',
      { user: { 'client-certificate': 'x' } },
      'user "u" of /k/config: client-key is missing',
    ],
    [
      'a key without certificate',
      { user: { 'client-key': 'x' } },
      'user "u" of /k/config: client-certificate is missing',
    ],
    [
      'a provider',
      { user: { 'auth-provider': { name: 'gcp' } } },
      'user "u" of /k/config: auth-provider is not supported',
    ],
    [
      'a plugin without command',
      { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1' } } },
      'user "u" of /k/config: exec: command is missing',
    ],
    [
      'an old plugin',
      { user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
      'exec: apiVersion must be',
    ],
    [
      'a plugin that asks',
      { user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' } } },
      'interactiveMode is Always',
    ],
    ['groups without a user', { user: { 'as-groups': ['x'] } }, 'user "u" of /k/config: as is missing'],
    ['a number for a text', { user: { token: 5 } }, 'user "u" of /k/config: token must be a string'],
    ['a text for a list', { user: { as: 'x', 'as-groups': 'x' } }, 'as-groups must be a list of strings'],
    ['a text for a flag', { cluster: { 'insecure-skip-tls-verify': 'yes' } }, 'must be true or false'],
  ])('for %s', async (_, parts, message) => {
    const error = await one(parts).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'KubeError', code: 'Configuration' });
    expect((error as Error).message).toContain(message);
  });

  test.each([
    ['nothing in it', '', '/f: current-context is not set'],
    ['broken YAML', 'a: [', '/f: is not valid YAML'],
    ['a list', '[]', '/f: is not a kubeconfig'],
    ['an entry without name', 'clusters: [{cluster: {}}]', '/f: clusters[0]: name is missing'],
    ['entries that are no list', 'users: 5', '/f: users must be a list'],
    ['an entry that is no object', 'users: [5]', '/f: users[0] must be an object'],
  ])('for a file with %s', async (_, text, message) => {
    await expect(load({ '/f': text }, { kubeconfig: '/f' })).rejects.toThrow(message);
  });

  test('for a file that is not there, or cannot be read', async () => {
    await expect(load({}, { kubeconfig: '/f' })).rejects.toThrow('/f: does not exist');
    const readFile = () => Promise.reject(Object.assign(new Error('EACCES: denied'), { code: 'EACCES' }));
    await expect(loadConfig({ env: { KUBECONFIG: '/g' }, readFile })).rejects.toThrow(
      '/g: cannot be read (EACCES: denied)',
    );
  });
});

describe('several files', () => {
  const first = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://first' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'from-first' } }],
  });
  const second = JSON.stringify({
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: 'https://second', 'tls-server-name': 'n' } }],
    users: [{ name: 'u', user: { tokenFile: 'token' } }],
    contexts: [{ name: 'x', context: { cluster: 'none' } }],
  });

  test('are merged entry by entry, the first wins, missing ones are passed over, paths stay with their file', async () => {
    const config = await load({ '/a/f': first, '/b/s': second }, { env: { KUBECONFIG: ':/nowhere:/a/f:/b/s:' } });
    expect(config).toEqual({
      server: 'https://first',
      namespace: 'from-first',
      credential: { kind: 'token-file', path: '/b/token' },
      source: 'context "x" of /a/f',
    });
  });

  test('of which none exists are an error', async () => {
    await expect(load({}, { env: { KUBECONFIG: '/x:/y' } })).rejects.toThrow('none of the files in it exists: /x, /y');
  });
});

describe('the order of sources', () => {
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: '/home/me' };
  const files = {
    '/home/me/.kube/config': kubeconfig({ cluster: { server: 'https://home' } }),
    '/env': kubeconfig({ cluster: { server: 'https://env' } }),
    '/flag': kubeconfig({ cluster: { server: 'https://flag' } }),
    [`${account}/token`]: 'secret',
    [`${account}/namespace`]: 'my-ns\n',
  };

  test('is file, KUBECONFIG, service account, home', async () => {
    const server = async (options: Parameters<typeof load>[1]) => (await load(files, options)).server;
    expect(await server({ kubeconfig: '/flag', env: { ...pod, KUBECONFIG: '/env' } })).toBe('https://flag');
    expect(await server({ env: { ...pod, KUBECONFIG: '/env' } })).toBe('https://env');
    expect(await server({ env: pod })).toBe('https://10.0.0.1:443');
    expect(await server({ env: { HOME: '/home/me' } })).toBe('https://home');
    expect(await server({ env: pod, context: 'dev' })).toBe('https://home');
  });

  test('in a pod, names the files of the service account', async () => {
    expect(await load(files, { env: { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' } })).toEqual({
      server: 'https://[fd00::1]:443',
      namespace: 'my-ns',
      certificateAuthority: { kind: 'file', path: `${account}/ca.crt` },
      credential: { kind: 'token-file', path: `${account}/token` },
      source: 'in-cluster configuration',
    });
    await expect(load({}, { env: pod })).rejects.toThrow('automountServiceAccountToken');
  });

  test('with nothing at all is an error that says what was looked for', async () => {
    await expect(load({})).rejects.toThrow(
      'found no way to reach a Kubernetes cluster: there is no --kubeconfig, no KUBECONFIG, no service account and no ~/.kube/config',
    );
  });

  test('ends with the proxy of the environment, unless the file names one', async () => {
    const env = { HTTPS_PROXY: 'proxy:3128', NO_PROXY: 'internal' };
    expect(await load(files, { kubeconfig: '/flag', env })).toMatchObject({ proxyUrl: 'http://proxy:3128' });
    const own = { '/f': kubeconfig({ cluster: { 'proxy-url': 'socks5://mine' } }) };
    expect(await load(own, { kubeconfig: '/f', env })).toMatchObject({ proxyUrl: 'socks5://mine' });
  });
});
