// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Clock } from '@operator-parts/ports';
import { asNumber, asObject, asString, type JsonObject } from '../json/json.ts';

/** Connects to a Service of the cluster by its DNS name, as a pod would. */
export type DialService = (host: string, port: number) => Promise<Duplex>;

export interface WebhookCall {
  /** `clientConfig` of a webhook. */
  readonly client: JsonObject;
  readonly timeoutSeconds: number;
  readonly body: JsonObject;
  readonly clock: Clock;
  readonly dialService: DialService | undefined;
}

const answerLimit = 10 * 1024 * 1024;

/** POSTs a review to a webhook. Rejects with an error that has the message of a real API server. */
export async function callWebhook({ client, timeoutSeconds, body, clock, dialService }: WebhookCall): Promise<unknown> {
  const target = targetOf(client);
  const url = new URL(target.url);
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const shown = `Post ${JSON.stringify(url.href)}`;
  const expired = new AbortController();
  const timer = clock.schedule(timeoutSeconds * 1000, () => expired.abort(), { background: true });
  try {
    const socket = target.service ? await dialed(target.service, dialService) : undefined;
    const ca = asString(client['caBundle']);
    const text = await post(
      url,
      JSON.stringify(body),
      ca ? Buffer.from(ca, 'base64') : undefined,
      socket,
      expired.signal,
    );
    return JSON.parse(text);
  } catch (error) {
    const why = expired.signal.aborted ? 'context deadline exceeded' : goNetworkError(error, url);
    throw new Error(`failed to call webhook: ${shown}: ${why}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

interface Target {
  readonly url: string;
  readonly service: { readonly host: string; readonly port: number } | undefined;
}

function targetOf(client: JsonObject): Target {
  const url = asString(client['url']);
  if (url !== undefined) return { url, service: undefined };
  const service = asObject(client['service']) ?? {};
  const host = `${String(service['name'])}.${String(service['namespace'])}.svc`;
  const port = asNumber(service['port']) ?? 443;
  const path = asString(service['path']) ?? '/';
  return { url: `https://${host}:${port}${path.startsWith('/') ? path : `/${path}`}`, service: { host, port } };
}

async function dialed(
  service: { readonly host: string; readonly port: number },
  dial: DialService | undefined,
): Promise<Duplex> {
  if (!dial) throw new Error(`no endpoints available for service ${JSON.stringify(service.host.split('.')[0])}`);
  return dial(service.host, service.port);
}

function post(
  url: URL,
  body: string,
  ca: Buffer | undefined,
  socket: Duplex | undefined,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
      },
      signal,
      ...(ca ? { ca } : {}),
      ...(socket
        ? { createConnection: () => tlsConnect({ socket, servername: url.hostname, ...(ca ? { ca } : {}) }) }
        : // Only without a socket: if `agent` is set, even to false, Node ignores `createConnection`.
          { agent: false as const }),
    };
    const request = httpsRequest(url, options, (response) => {
      readAnswer(response).then(resolve, reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerLimit) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode >= 300)
    throw new Error(`the server responded with the status code ${statusCode} but did not return more information`);
  return text;
}

/** The messages of Go's network errors, for the common ones. */
function goNetworkError(error: unknown, url: URL): string {
  const { code, message } = error as { code?: string; message?: string };
  const host = `${url.hostname}:${url.port || '443'}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ECONNRESET':
      return 'EOF';
    case 'ENOTFOUND':
      return `dial tcp: lookup ${url.hostname}: no such host`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    default:
      return message ?? String(error);
  }
}
