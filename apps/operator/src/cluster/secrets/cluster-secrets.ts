// SPDX-License-Identifier: Apache-2.0
import type { Login, TlsMaterial } from '@operator-parts/etcd';
import { type Client, ignoreNotFound, type Secret, secrets } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { clientServiceName } from '../../api/names.ts';
import type { ClusterCredentials } from '../etcd/member-pool.ts';
import type { TlsKeyStyles, TlsRole } from '../objects/tls-volumes.ts';
import { certificateExpiry, certificateProblems } from './certificate-check.ts';
import { readTlsSecret, type TlsFiles } from './tls-secret.ts';

/** What was found in the Secrets of a cluster. */
export interface SecretFindings {
  readonly credentials: ClusterCredentials;
  readonly keyStyles: TlsKeyStyles;
  /** Sentences that say why a Secret cannot be used; empty if all can be used. */
  readonly problems: readonly string[];
  /** When the first of the certificates expires, in milliseconds since the epoch; infinite if there are none. */
  readonly expiresAt: number;
}

interface Kept {
  readonly generation: number;
  readonly readAt: number;
  readonly until: number;
  readonly findings: SecretFindings;
}

const noSecrets: SecretFindings = {
  credentials: { tls: undefined, login: undefined },
  keyStyles: { peer: 'own', server: 'own', client: 'own' },
  problems: [],
  expiresAt: Number.POSITIVE_INFINITY,
};

/**
 * How long findings are used before the Secrets are read again, in milliseconds. After a change of a Secret, the old certificates and
 * passwords must work at least this long.
 */
const keepFor = 300_000;
/** The same time while there is a problem that a changed Secret may solve. */
const keepInTrouble = 2_000;

/**
 * Reads and checks the Secrets that a cluster's spec names, each by its name, so that the operator needs no permission to list Secrets.
 * Clusters without Secrets cost no request.
 */
export class ClusterSecrets {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Forgets a cluster that is gone. */
  forget(uid: string): void {
    this.#kept.delete(uid);
  }

  async check(cluster: EtcdCluster, client: Client, signal: AbortSignal): Promise<SecretFindings> {
    const named = namedSecrets(cluster);
    if (named.tls.length === 0 && !named.auth) return noSecrets;
    const { uid = '', generation = 0 } = cluster.metadata ?? {};
    const kept = this.#kept.get(uid);
    if (kept?.generation === generation && this.#clock.monotonic() < kept.until) return kept.findings;
    const findings = await this.#read(cluster, named, client, signal, kept?.findings);
    const readAt = this.#clock.monotonic();
    this.#kept.set(uid, { generation, readAt, until: readAt + this.#lifetimeOf(findings), findings });
    return findings;
  }

  /** A certificate that is about to expire has probably been replaced, so it is read again soon. */
  #lifetimeOf({ problems, expiresAt }: SecretFindings): number {
    if (problems.length > 0) return keepInTrouble;
    return Math.min(keepFor, Math.max(keepInTrouble, (expiresAt - this.#clock.now()) / 2));
  }

  /** To be called when members do not answer: the known Secrets may be outdated, so they are read again soon. */
  doubt(uid: string): void {
    const kept = this.#kept.get(uid);
    if (kept) this.#kept.set(uid, { ...kept, until: Math.min(kept.until, kept.readAt + keepInTrouble) });
  }

  async #read(
    cluster: EtcdCluster,
    named: NamedSecrets,
    client: Client,
    signal: AbortSignal,
    before?: SecretFindings,
  ): Promise<SecretFindings> {
    const problems: string[] = [];
    const files = new Map<TlsRole, TlsFiles>();
    for (const { role, name } of named.tls) {
      const found = readRole(await get(client, cluster, name, signal), role, name);
      if (typeof found === 'string') problems.push(found);
      else {
        files.set(role, found);
        const needs = {
          names: namesOf(cluster, role),
          usages: role === 'client' ? 'client' : 'serverAndClient',
          now: this.#clock.now(),
        } as const;
        problems.push(...certificateProblems(found, needs).map((problem) => `secret/${name}: ${problem}`));
      }
    }
    const login = named.auth ? readLogin(await get(client, cluster, named.auth, signal), named.auth) : undefined;
    if (typeof login === 'string') problems.push(login);
    return {
      credentials: {
        tls: named.tls.some(({ role }) => role === 'client') ? material(files.get('client'), before) : undefined,
        login: typeof login === 'string' ? undefined : login,
      },
      keyStyles: {
        peer: files.get('peer')?.style ?? 'own',
        server: files.get('server')?.style ?? 'own',
        client: files.get('client')?.style ?? 'own',
      },
      problems,
      expiresAt: Math.min(...[...files.values()].map(certificateExpiry)),
    };
  }
}

interface NamedSecrets {
  readonly tls: readonly { readonly role: TlsRole; readonly name: string }[];
  readonly auth: string | undefined;
}

function namedSecrets({ spec }: EtcdCluster): NamedSecrets {
  const { member, operatorSecret } = spec.TLS?.static ?? {};
  const roles = [
    ['peer', member?.peerSecret],
    ['server', member?.serverSecret],
    ['client', operatorSecret],
  ] as const;
  return { tls: roles.flatMap(([role, name]) => (name ? [{ role, name }] : [])), auth: spec.auth?.secret };
}

/**
 * Certificates with which no connection can be opened, so that members of a cluster with TLS are never contacted in plain text (safety rule
 * 11).
 */
const nobody: TlsMaterial = { ca: '', cert: 'none: the secret cannot be read', key: '' };

/**
 * If the certificates have not changed, the result is the same object as before, so that connections are kept. If a Secret can no longer be
 * read, the earlier certificates are used.
 */
function material(files: TlsFiles | undefined, before: SecretFindings | undefined): TlsMaterial {
  const old = before?.credentials.tls;
  if (!files) return old ?? nobody;
  const { ca, cert, key } = files;
  return old && old.ca === ca && old.cert === cert && old.key === key ? old : { ca, cert, key };
}

/** The names that a certificate must cover. Members are reached by names under the peer Service. Clients also use the client Service. */
function namesOf({ metadata = {}, spec }: EtcdCluster, role: TlsRole): readonly string[] {
  if (role === 'client') return [];
  const { name = '', namespace = '' } = metadata;
  const domain = spec.pod?.ClusterDomain ?? '';
  const member = `x.${name}.${namespace}.svc${domain}`;
  return role === 'peer' ? [member] : [member, `${clientServiceName(name)}.${namespace}.svc`];
}

function get(client: Client, cluster: EtcdCluster, name: string, signal: AbortSignal): Promise<Secret | undefined> {
  const namespace = cluster.metadata?.namespace ?? '';
  return ignoreNotFound(client.resource(secrets).get({ namespace, name }, { signal }));
}

function readRole(secret: Secret | undefined, role: TlsRole, name: string): TlsFiles | string {
  if (!secret) return `secret/${name} does not exist`;
  const found = readTlsSecret(secret, role);
  return 'missing' in found ? `secret/${name} lacks ${found.missing.join(', ')}` : found;
}

function readLogin(secret: Secret | undefined, name: string): Login | string {
  if (!secret) return `secret/${name} does not exist`;
  const read = (key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  const [user, password] = [read('username'), read('password')];
  return user && password ? { name: user, password } : `secret/${name} lacks username or password`;
}
