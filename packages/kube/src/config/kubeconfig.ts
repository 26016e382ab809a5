// SPDX-License-Identifier: Apache-2.0
import type { ClusterConfig, Credential, ExecPlugin, Impersonation, Pem } from './cluster-config.ts';
import { configError } from './config-error.ts';
import type { Entry, Fields, Kubeconfig } from './kubeconfig-file.ts';

/** The cluster, user and namespace of a context of a kubeconfig. Without `context`, of the current context. */
export function configOf(kubeconfig: Kubeconfig, context?: string): ClusterConfig {
  const files = kubeconfig.files.join(', ');
  const name = context ?? kubeconfig.currentContext;
  if (name === undefined) throw configError(files, 'current-context is not set, and no context was given');
  const { fields } = find(kubeconfig.contexts, name, 'context', files);
  const clusterName = fields.text('cluster');
  if (clusterName === undefined) throw fields.error('cluster', 'is missing');
  const cluster = find(kubeconfig.clusters, clusterName, 'cluster', fields.where).fields;
  const userName = fields.text('user');
  const user = userName === undefined ? undefined : find(kubeconfig.users, userName, 'user', fields.where).fields;
  return {
    ...clusterPart(cluster),
    ...(user ? userPart(user) : { credential: { kind: 'none' } }),
    namespace: fields.text('namespace') ?? 'default',
    source: fields.where,
  };
}

function find(entries: ReadonlyMap<string, Entry>, name: string, kind: string, where: string): Entry {
  const entry = entries.get(name);
  if (entry) return entry;
  const known = [...entries.keys()].map((known) => JSON.stringify(known)).join(', ') || 'none';
  throw configError(where, `${kind} ${JSON.stringify(name)} does not exist (known: ${known})`);
}

function clusterPart(
  cluster: Fields,
): Pick<ClusterConfig, 'server' | 'serverName' | 'proxyUrl' | 'certificateAuthority'> {
  const server = cluster.text('server');
  if (server === undefined) throw cluster.error('server', 'is missing');
  if (!/^https?:\/\//.test(server)) throw cluster.error('server', `must start with https:// or http://: ${server}`);
  if (cluster.flag('insecure-skip-tls-verify')) {
    const advice =
      'set certificate-authority or certificate-authority-data, and tls-server-name if the certificate has another name';
    throw cluster.error('insecure-skip-tls-verify', `is not supported: ${advice}`);
  }
  const certificateAuthority = pem(cluster, 'certificate-authority');
  const serverName = cluster.text('tls-server-name');
  const proxyUrl = cluster.text('proxy-url');
  return {
    server,
    ...(certificateAuthority ? { certificateAuthority } : {}),
    ...(serverName ? { serverName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
  };
}

type UserPart = Pick<ClusterConfig, 'clientCertificate' | 'clientKey' | 'credential' | 'impersonate'>;

function userPart(user: Fields): UserPart {
  const clientCertificate = pem(user, 'client-certificate');
  const clientKey = pem(user, 'client-key');
  if (clientCertificate && !clientKey)
    throw user.error('client-key', 'is missing, although there is a client-certificate');
  if (clientKey && !clientCertificate)
    throw user.error('client-certificate', 'is missing, although there is a client-key');
  const impersonate = impersonation(user);
  return {
    credential: credential(user),
    ...(clientCertificate && clientKey ? { clientCertificate, clientKey } : {}),
    ...(impersonate ? { impersonate } : {}),
  };
}

/** `x-data` contains a PEM in base64 and has priority over `x`, a file name. */
function pem(fields: Fields, name: string): Pem | undefined {
  const data = fields.text(`${name}-data`);
  if (data !== undefined) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (!text.includes('-----BEGIN ')) throw fields.error(`${name}-data`, 'is not base64-encoded PEM');
    return { kind: 'data', pem: text };
  }
  const path = fields.path(name);
  return path === undefined ? undefined : { kind: 'file', path };
}

function credential(user: Fields): Credential {
  if (user.has('auth-provider')) {
    throw user.error(
      'auth-provider',
      'is not supported (kubectl has removed it as well): use the exec plugin of the provider',
    );
  }
  const exec = user.object('exec');
  if (exec) return { kind: 'exec', plugin: execPlugin(exec) };
  const path = user.path('tokenFile');
  if (path !== undefined) return { kind: 'token-file', path };
  const token = user.text('token');
  if (token !== undefined) return { kind: 'token', token };
  const username = user.text('username');
  if (username !== undefined) return { kind: 'basic', username, password: user.text('password') ?? '' };
  return { kind: 'none' };
}

function execPlugin(exec: Fields): ExecPlugin {
  const command = exec.command('command');
  if (command === undefined) throw exec.error('command', 'is missing');
  const apiVersion = exec.text('apiVersion');
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    throw exec.error('apiVersion', 'must be client.authentication.k8s.io/v1 or v1beta1');
  }
  if (exec.text('interactiveMode') === 'Always') {
    throw exec.error('interactiveMode', 'is Always, but this program cannot ask for input');
  }
  const env = exec.objects('env').map((item) => [item.text('name') ?? '', item.text('value') ?? ''] as const);
  const installHint = exec.text('installHint');
  return {
    apiVersion,
    command,
    args: exec.texts('args') ?? [],
    env: Object.fromEntries(env),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    ...(installHint ? { installHint } : {}),
  };
}

function impersonation(user: Fields): Impersonation | undefined {
  const as = user.text('as');
  const [uid, groups, extra] = [user.text('as-uid'), user.texts('as-groups'), user.object('as-user-extra')];
  if (as === undefined) {
    if (uid || groups || extra) throw user.error('as', 'is missing, although related fields are set');
    return undefined;
  }
  return {
    user: as,
    ...(uid ? { uid } : {}),
    ...(groups ? { groups } : {}),
    ...(extra ? { extra: Object.fromEntries(extra.keys().map((key) => [key, extra.texts(key) ?? []])) } : {}),
  };
}
