// SPDX-License-Identifier: Apache-2.0
import {
  buildController,
  type Certificate,
  done,
  type Manager,
  requeueAfter,
} from '@operator-parts/controller-runtime';
import {
  type Client,
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type Secret,
  secrets,
} from '@operator-parts/kube';
import {
  certificatesIn,
  isPair,
  makeCertificate,
  renewalTime,
  type ServingCertificate,
  vouchesFor,
} from './certificate.ts';
import { servingNames } from './serving-names.ts';

/** The name of the Secret and of the webhook configuration. */
export const ownName = 'sidecar-injector';

export interface CertificateKeeperOptions {
  /** Where the Secret is. */
  readonly namespace: string;
  /** The lifetime of a certificate; it is replaced after two thirds of it, in milliseconds. */
  readonly lifetime: number;
  /** The delay between publishing a new CA to the API servers and using it, in milliseconds. */
  readonly settlingTime: number;
}

const fieldSelector = `metadata.name=${ownName}`;
/** How often everything is checked again, in milliseconds. */
const longestPause = 3_600_000;

/**
 * Creates the serving certificate, stores it in a Secret for all replicas, writes its CA to the webhook configuration,
 * and repeats this before it expires. The new CA is published first: the API server trusts it beside the old one before
 * any replica serves the new certificate. Returns a function that reads the current certificate.
 */
export function addCertificateKeeper(manager: Manager, options: CertificateKeeperOptions): () => Promise<Certificate> {
  const { namespace, lifetime, settlingTime } = options;
  const { clock, random } = manager;
  const key = { namespace, name: ownName };
  const cachedSecrets = manager.informer(secrets, { namespace, fieldSelector });
  const cachedConfigurations = manager.informer(mutatingWebhookConfigurations, { fieldSelector });

  buildController(manager, { name: 'certificate-keeper' })
    .forKind(secrets, { namespace, fieldSelector })
    .watches(mutatingWebhookConfigurations, () => [key], { fieldSelector })
    .complete(async (_request, { client, log, signal }) => {
      const configuration = cachedConfigurations.lister.get({ name: ownName });
      if (!configuration) return done(); // No webhook is configured yet.
      const names = servingNames(configuration);
      const secret = cachedSecrets.lister.get(key);
      const trusted = trustedBy(configuration);
      const present = withAuthority(secret, trusted);
      const renewal = present ? renewalTime(present.cert, { names, lifetime }) : 0;
      if (present && renewal > clock.now()) {
        if (present.authority !== textIn(secret, 'ca.crt')) await store(client, secret, present, namespace);
        await trust(client, configuration, present.authority);
        return requeueAfter(Math.min(renewal - clock.now(), longestPause));
      }
      const next = await makeCertificate({ names, now: clock.now(), lifetime, random });
      // Until they see the Secret, all replicas serve the certificate that is trusted now. The previous delay has
      // passed for them.
      const [previous = ''] = certificatesIn(present?.authority ?? trusted);
      const authority = next.authority + previous;
      await trust(client, configuration, authority);
      if (previous !== '') await clock.sleep(settlingTime, signal);
      await store(client, secret, { ...next, authority }, namespace);
      log.info('made a new certificate', { names });
      return done(); // The Secret has changed, which triggers the next reconciliation.
    });

  return async () => {
    const present = pairIn(cachedSecrets.lister.get(key));
    if (!present) throw new Error(`there is no certificate in the Secret ${namespace}/${ownName} yet`);
    return present;
  };
}

function textIn(secret: Secret | undefined, name: string): string {
  return decode(secret?.data?.[name]);
}

function decode(text = ''): string {
  return Buffer.from(text, 'base64').toString();
}

function pairIn(secret: Secret | undefined): Certificate | undefined {
  const [cert, key] = [textIn(secret, 'tls.crt'), textIn(secret, 'tls.key')];
  return isPair(cert, key) ? { cert, key } : undefined;
}

/**
 * The certificate in the Secret with its CA; if the Secret has lost the CA, it may still be in the webhook
 * configuration.
 */
function withAuthority(secret: Secret | undefined, trusted: string): ServingCertificate | undefined {
  const pair = pairIn(secret);
  if (!pair) return undefined;
  const bundles = [textIn(secret, 'ca.crt'), trusted].map((bundle) => certificatesIn(bundle).join(''));
  const authority = bundles.find((bundle) => vouchesFor(bundle, pair.cert));
  return authority === undefined ? undefined : { ...pair, authority };
}

/** The CAs that the API server trusts at present. */
function trustedBy({ webhooks = [] }: MutatingWebhookConfiguration): string {
  return webhooks.map(({ clientConfig }) => decode(clientConfig.caBundle)).find((bundle) => bundle !== '') ?? '';
}

/** Changes only our field of the configuration; its installer owns the rest. */
async function trust(client: Client, configuration: MutatingWebhookConfiguration, authority: string): Promise<void> {
  const caBundle = Buffer.from(authority).toString('base64');
  const present = configuration.webhooks ?? [];
  if (present.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return;
  const webhooks = present.map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } }));
  await client.resource(mutatingWebhookConfigurations).replace({ ...configuration, webhooks });
}

/** Creates it, or replaces exactly the Secret that was seen: another replica may have been faster. */
async function store(
  client: Client,
  present: Secret | undefined,
  { cert, key, authority }: ServingCertificate,
  namespace: string,
): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { 'tls.crt': encode(cert), 'tls.key': encode(key), 'ca.crt': encode(authority) };
  const api = client.resource(secrets);
  if (present) await api.replace({ ...present, data });
  else await api.create({ metadata: { namespace, name: ownName }, type: 'kubernetes.io/tls', data });
}
