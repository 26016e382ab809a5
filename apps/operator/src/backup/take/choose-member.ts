// SPDX-License-Identifier: Apache-2.0
import { type Dialer, isEtcdError, MemberClient, type MemberStatus } from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';
import { BackupError } from '../backup-fault.ts';
import { type EtcdEndpoint, materialFor } from '../etcd-endpoint.ts';
import type { EtcdAccess } from './etcd-access.ts';

/** The member that the snapshot is taken from. Whoever chose it closes its client. */
export interface ChosenMember {
  readonly endpoint: EtcdEndpoint;
  readonly client: MemberClient;
  readonly status: MemberStatus;
}

export interface ChooseOptions {
  readonly clock: Clock;
  readonly dial: Dialer;
  readonly access: EtcdAccess;
  readonly signal: AbortSignal;
}

type Asked =
  | { readonly chosen: ChosenMember }
  | { readonly endpoint: EtcdEndpoint; readonly client: MemberClient; readonly error: Error };

/** How long an endpoint is waited for. One that is down delays a backup by no more. */
const answerMs = 5_000;

/**
 * Asks all endpoints at once and takes the one with the highest revision; of several, one that does not lead, which spares
 * the leader. Endpoints that do not answer are passed over; only if none does, the backup fails.
 */
export async function chooseMember(endpoints: readonly EtcdEndpoint[], options: ChooseOptions): Promise<ChosenMember> {
  const asked = await Promise.all(endpoints.map((endpoint) => ask(endpoint, options)));
  const found = asked.flatMap((one) => ('chosen' in one ? [one.chosen] : [])).toSorted(preference);
  const [best] = found;
  for (const one of asked) {
    const client = 'chosen' in one ? one.chosen.client : one.client;
    if (client !== best?.client) client.close();
  }
  options.signal.throwIfAborted();
  if (best) return best;
  throw noneAnswered(asked.flatMap((one) => ('error' in one ? [one] : [])));
}

function preference(a: ChosenMember, b: ChosenMember): number {
  if (a.status.revision !== b.status.revision) return a.status.revision > b.status.revision ? -1 : 1;
  return Number(leads(a)) - Number(leads(b));
}

function leads({ status }: ChosenMember): boolean {
  return status.leader === status.memberId;
}

async function ask(endpoint: EtcdEndpoint, { clock, dial, access, signal }: ChooseOptions): Promise<Asked> {
  const tls = materialFor(endpoint, access.tls);
  const client = new MemberClient({
    target: { host: endpoint.host, port: endpoint.port },
    clock,
    dial,
    tls: () => tls,
    login: () => access.login,
    timeoutMs: answerMs,
    connectTimeoutMs: answerMs,
  });
  try {
    return { chosen: { endpoint, client, status: await client.maintenance.status({ signal }) } };
  } catch (error) {
    return { endpoint, client, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function noneAnswered(failures: readonly { readonly endpoint: EtcdEndpoint; readonly error: Error }[]): BackupError {
  const words = failures.map(({ endpoint, error }) => `${endpoint.text}: ${error.message}`).join('; ');
  const all = (...codes: Parameters<typeof isEtcdError>[1][]) =>
    failures.every(({ error }) => isEtcdError(error, ...codes));
  const message = `failed to create an etcd client from any of the endpoints: ${words}`;
  if (all('TlsFailed')) return new BackupError('lasting', 'TLSFailed', message);
  if (all('LoginFailed', 'LoginRequired', 'PermissionDenied', 'InvalidAuthToken'))
    return new BackupError('lasting', 'AuthenticationFailed', message);
  return new BackupError('passing', 'EtcdUnavailable', message);
}
