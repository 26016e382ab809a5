// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as x509 from '@peculiar/x509';
import type { Stored } from './caller.ts';

/** A server's request to a webhook. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: object;
  readonly resource: object;
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: object;
  readonly object: Stored | null;
  readonly oldObject: Stored | null;
  readonly dryRun: boolean;
  readonly options: object | null;
}

/** A webhook's answer without the UID, which is added. A patch is a list of JSON patch operations. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly status?: object;
  readonly warnings?: readonly string[];
  readonly patch?: readonly object[];
}

/** Answers a server's request; a promise that never settles is a webhook that hangs. */
export type Webhook = (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** Converts one object to a version; an error is returned as a failure. */
export type Converter = (object: Stored, apiVersion: string) => object;

/** Webhooks on loopback, until this value is disposed. */
export interface WebhookServer extends AsyncDisposable {
  /** Serves a webhook; resolves with its `clientConfig`. */
  serve(webhook: Webhook): { readonly url: string; readonly caBundle: string };
  /** Serves a webhook that converts objects of a custom kind. */
  serveConversion(converter: Converter): { readonly url: string; readonly caBundle: string };
}

let certificate: ReturnType<typeof makeCertificate> | undefined;

export async function startWebhookServer(): Promise<WebhookServer> {
  certificate ??= makeCertificate();
  const { cert, key } = await certificate;
  const webhooks: (Webhook | { readonly converter: Converter })[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const index = Number(request.url?.slice(1).split('?')[0]);
    const webhook = webhooks[index];
    const body = typeof webhook === 'object' ? convert(request, webhook.converter) : answer(request, webhook);
    body.then(
      (text) => response.setHeader('content-type', 'application/json').end(text),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = (path: number) => ({
    url: `https://127.0.0.1:${port}/${path}`,
    caBundle: Buffer.from(cert).toString('base64'),
  });
  return {
    serve: (webhook) => place(webhooks.push(webhook) - 1),
    serveConversion: (converter) => place(webhooks.push({ converter }) - 1),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Stored[];
}

async function convert(request: IncomingMessage, converter: Converter): Promise<string> {
  const { request: asked } = JSON.parse(await text(request)) as { request: ConversionRequest };
  const { uid, desiredAPIVersion } = asked;
  const review = (response: object) =>
    JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response });
  try {
    const convertedObjects = asked.objects.map((object) => converter(object, desiredAPIVersion));
    return review({ uid, result: { status: 'Success' }, convertedObjects });
  } catch (error) {
    return review({ uid, result: { status: 'Failure', message: (error as Error).message } });
  }
}

async function answer(request: IncomingMessage, webhook: Webhook | undefined): Promise<string> {
  const { request: asked } = JSON.parse(await text(request)) as { request: AdmissionRequest };
  const { patch, ...answered } = (await webhook?.(asked)) ?? { allowed: false };
  const patched = patch && { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  const response = { uid: asked.uid, ...answered, ...patched };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
}

/** A self-signed certificate for 127.0.0.1. */
async function makeCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: ['webhooks of a test'] }],
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 24 * 3_600_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: made.toString('pem'), key: x509.PemConverter.encode(privateKey, 'PRIVATE KEY') };
}
