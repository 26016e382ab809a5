// SPDX-License-Identifier: Apache-2.0
import { formatId, isEtcdError, MemberClient, type MemberStatus } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { BackupError } from '../../backup-fault.ts';
import { type EtcdEndpoint, materialFor } from '../../observe/etcd-endpoint.ts';
import { type DialerFor, EndpointRefusedError } from '../endpoint/endpoint-dialer.ts';
import type { EndpointRefusal } from '../endpoint/endpoint-rules.ts';
import type { EtcdAccess } from './etcd-access.ts';

/** The member that the snapshot is read from. The caller closes its client. */
export interface ChosenMember {
  readonly endpoint: EtcdEndpoint;
  readonly client: MemberClient;
  readonly status: MemberStatus;
}

export interface ChooseOptions {
  readonly clock: Clock;
  readonly dialFor: DialerFor;
  readonly access: EtcdAccess;
  /** True if the login is from a Secret with the label that allows to send it without TLS. */
  readonly isLoginLabelled: boolean;
  /** The connection is closed after this time without a request. @default 30 s */
  readonly idleMs?: number;
  readonly signal: AbortSignal;
}

type Asked =
  | { readonly chosen: ChosenMember }
  | { readonly endpoint: EtcdEndpoint; readonly client: MemberClient; readonly error: Error };

/** How long to wait for the answer of each endpoint. An unreachable endpoint delays a backup by at most this time. */
const answerMs = 5_000;

/**
 * Asks all endpoints at once and chooses the member with the highest revision. If several members have this revision, it prefers a
 * follower, so that the leader has less work. Endpoints that do not answer are ignored; the backup fails only if none answers. Members of
 * different clusters are an error.
 */
export async function chooseMember(endpoints: readonly EtcdEndpoint[], options: ChooseOptions): Promise<ChosenMember> {
  const asked = await Promise.all(endpoints.map((endpoint) => ask(endpoint, options)));
  const found = asked.flatMap((one) => ('chosen' in one ? [one.chosen] : [])).toSorted(preference);
  const mismatch = differentClusters(found);
  const best = mismatch ? undefined : found[0];
  for (const one of asked) {
    const client = 'chosen' in one ? one.chosen.client : one.client;
    if (client !== best?.client) client.close();
  }
  options.signal.throwIfAborted();
  if (mismatch) throw mismatch;
  if (best) return best;
  throw noneAnswered(asked.flatMap((one) => ('error' in one ? [one] : [])));
}

/** An error if the members belong to different clusters: a backup contains one cluster, and only a user can decide which cluster. */
function differentClusters(found: readonly ChosenMember[]): BackupError | undefined {
  const [first, ...others] = found;
  const other = others.find(({ status }) => status.clusterId !== first?.status.clusterId);
  if (!first || !other) return undefined;
  const words = [first, other].map(
    ({ endpoint, status }) => `${endpoint.text} belongs to cluster ${formatId(status.clusterId)}`,
  );
  const message = `spec.etcdEndpoints names members of different clusters: ${words.join(', ')}. Name the members of one cluster only.`;
  return new BackupError('lasting', 'DifferentClusters', message);
}

function preference(a: ChosenMember, b: ChosenMember): number {
  if (a.status.revision !== b.status.revision) return a.status.revision > b.status.revision ? -1 : 1;
  return Number(leads(a)) - Number(leads(b));
}

function leads({ status }: ChosenMember): boolean {
  return status.leader === status.memberId;
}

async function ask(endpoint: EtcdEndpoint, options: ChooseOptions): Promise<Asked> {
  const { clock, dialFor, access, signal } = options;
  const tls = materialFor(endpoint, access.tls);
  const plainLogin = tls || !access.login ? 'none' : options.isLoginLabelled ? 'labelled' : 'unlabelled';
  const client = new MemberClient({
    target: { host: endpoint.host, port: endpoint.port },
    ...(endpoint.serverName !== undefined && { serverName: endpoint.serverName }),
    clock,
    dial: dialFor({ plainLogin }),
    tls: () => tls,
    login: () => access.login,
    timeoutMs: answerMs,
    connectTimeoutMs: answerMs,
    ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
  });
  try {
    const status = await client.maintenance.status({ signal });
    const other = otherMemberAt(endpoint, status);
    return other ? { endpoint, client, error: other } : { chosen: { endpoint, client, status } };
  } catch (error) {
    return { endpoint, client, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** An error if a member other than the expected one answered: the address may belong to another pod now. */
function otherMemberAt({ expected }: EtcdEndpoint, { clusterId, memberId }: MemberStatus): Error | undefined {
  if (!expected) return undefined;
  const [cluster, member] = [formatId(clusterId), formatId(memberId)];
  if (cluster !== expected.clusterId)
    return new Error(`this endpoint belongs to cluster ${cluster}, but cluster ${expected.clusterId} was expected`);
  if (expected.memberId === undefined || member === expected.memberId) return undefined;
  return new Error(`this endpoint is member ${member}, but member ${expected.memberId} was expected`);
}

/** Why an endpoint rule refused the connection; undefined if the connection failed for another reason. */
function refusalOf(error: unknown): EndpointRefusal | undefined {
  if (error instanceof EndpointRefusedError) return error.refusal;
  return error instanceof Error ? refusalOf(error.cause) : undefined;
}

function noneAnswered(failures: readonly { readonly endpoint: EtcdEndpoint; readonly error: Error }[]): BackupError {
  const words = failures.map(({ endpoint, error }) => `${endpoint.text}: ${error.message}`).join('; ');
  const all = (...codes: Parameters<typeof isEtcdError>[1][]) =>
    failures.every(({ error }) => isEtcdError(error, ...codes));
  const message = `failed to create an etcd client from any of the endpoints: ${words}`;
  const refusals = failures.flatMap(({ error }) => refusalOf(error) ?? []);
  if (refusals[0] && refusals.length === failures.length)
    return new BackupError('lasting', refusals[0].reason, message);
  if (all('TlsFailed')) return new BackupError('lasting', 'TLSFailed', message);
  if (all('LoginFailed', 'LoginRequired', 'PermissionDenied', 'InvalidAuthToken'))
    return new BackupError('lasting', 'AuthenticationFailed', message);
  return new BackupError('passing', 'EtcdUnavailable', message);
}
