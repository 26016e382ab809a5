// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { TestAuthority, type TestCertificate } from '@etcd-operator/tools';
import { clientPort } from '@operator-parts/etcd';
import { secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;
let authority: TestAuthority;
/** The content of each `ca.crt`. */
let trusted: string;

beforeAll(async () => {
  ground = await OperatorLab.start();
  authority = await TestAuthority.create('lab');
  trusted = authority.ca;
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const members = ['*.safe.default.svc', '*.safe.default.svc.cluster.local'];
const roles = {
  peer: { names: members },
  server: { names: [...members, 'safe-client.default.svc', 'localhost'] },
  client: { usages: ['clientAuth'] },
} as const;

/** Writes new certificates of the authority to all three Secrets. */
async function rotate(): Promise<Readonly<Record<keyof typeof roles, TestCertificate>>> {
  const [peer, server, client] = await Promise.all([
    authority.issue(roles.peer),
    authority.issue(roles.server),
    authority.issue(roles.client),
  ]);
  await write('peer', peer);
  await write('server', server);
  await write('client', client);
  return { peer, server, client };
}

async function write(role: keyof typeof roles, { cert, key }: TestCertificate): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { 'tls.crt': encode(cert), 'tls.key': encode(key), 'ca.crt': encode(trusted) };
  const metadata = { name: `safe-${role}`, namespace: 'default' };
  await ground.lab
    .client()
    .resource(secrets)
    .apply({ apiVersion: 'v1', kind: 'Secret', metadata, data }, { fieldManager: 'test', force: true });
}

/** The serial number of the certificate that a member presents on a new connection. */
async function shownSerial(ip: string, { cert, key }: TestCertificate): Promise<string> {
  const socket = await ground.lab.dial(ip, clientPort);
  const shown = Promise.withResolvers<string>();
  const secured = connect({ socket, ca: trusted, cert, key, servername: 'safe-client.default.svc' }, () => {
    shown.resolve(secured.getPeerCertificate().serialNumber);
  });
  secured.once('error', shown.reject);
  return shown.promise.finally(() => secured.destroy());
}

const processes = async () =>
  (await ground.pods('safe'))
    .map(({ metadata, status }) => `${metadata?.uid} ${status?.containerStatuses?.[0]?.containerID}`)
    .sort();

const detailIds = async () => (await ground.get('safe')).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];

describe('operator rule 18: certificates that are replaced in their secrets', () => {
  test('fault 47: members show the new ones without any restart, and the operator goes on with its own', async () => {
    await rotate();
    const member = { peerSecret: 'safe-peer', serverSecret: 'safe-server' };
    await ground.create('safe', { size: 3, TLS: { static: { member, operatorSecret: 'safe-client' } } });
    await ground.settled('safe');
    const before = await processes();
    // Only after the cluster is healthy, however long that takes: the new operator must never have had another certificate than the one
    // that expires soon.
    await ground.stopOperator();
    const expiry = new Date(Date.now() + 15_000);
    await write('client', await authority.issue({ ...roles.client, until: expiry.toISOString() }));
    ground.startOperator();
    // Only a working operator changes this label, so the label shows that it has reconciled.
    await ground.change('safe', { pod: { labels: { seen: 'yes' } } });
    const hasObserved = async () =>
      (await ground.pods('safe')).every(({ metadata }) => metadata?.labels?.['seen'] === 'yes');
    await ground.until('it has looked, or it is too late for that', async () =>
      Date.now() > expiry.getTime() || (await hasObserved()) ? true : undefined,
    );
    const fresh = await rotate();
    const serial = new X509Certificate(fresh.server.cert).serialNumber;
    for (const pod of await ground.pods('safe')) {
      await ground.until(
        'the new certificate',
        async () => ((await shownSerial(pod.status?.podIP ?? '', fresh.client)) === serial ? true : undefined),
        180_000,
      );
    }
    expect(await processes()).toEqual(before);
    await ground.until('the old one expired', async () => (Date.now() > expiry.getTime() ? true : undefined));
    const ids = await detailIds();
    const [victim] = await ground.pods('safe');
    await ground.deletePod(victim?.metadata?.name ?? '', 0);
    await ground.until('another member', async () => ((await detailIds()).join() === ids.join() ? undefined : true));
    expect((await ground.settled('safe')).status?.readySize).toBe(3);
    await ground.delete('safe');
    await ground.until('gone', async () => ((await ground.pods('safe')).length === 0 ? true : undefined));
  });
});

/** As a user follows the guide: each member once, waiting for all in between. */
async function restartEach(): Promise<void> {
  for (const { metadata } of await ground.pods('safe')) {
    await ground.deletePod(metadata?.name ?? '');
    await ground.until('it is back', async () =>
      (await ground.pods('safe')).some(
        ({ metadata: its }) => its?.name === metadata?.name && its?.uid !== metadata?.uid,
      )
        ? true
        : undefined,
    );
    await ground.settled('safe');
  }
}

/** What tests read and write with. */
function connectWith({ cert, key }: TestCertificate): void {
  const tls = { ca: trusted, cert, key };
  ground.access.set('safe', { tls: () => tls, serverName: 'safe-client.default.svc' });
}

/** A member without which the others have a leader, and which is not the first that a test would ask. */
async function dispensable(): Promise<string> {
  const { memberDetails = [] } = (await ground.settled('safe')).status ?? {};
  const followers = memberDetails.flatMap(({ name, role }) => (role === 'Follower' ? [name] : []));
  const [, ...others] = await ground.pods('safe');
  return others.map(({ metadata }) => metadata?.name ?? '').find((name) => followers.includes(name)) ?? '';
}

describe('an authority that is replaced', () => {
  test('fault 47: another takes over in three steps, and a member is down during each: writes go on, nobody is replaced, and the former is trusted no longer', async () => {
    const [former, next] = [authority, await TestAuthority.create('next')];
    const resources = { requests: { storage: '128Mi' } };
    const persistentVolumeClaimSpec = { accessModes: ['ReadWriteOnce'], resources } as const;
    const member = { peerSecret: 'safe-peer', serverSecret: 'safe-server' };
    connectWith((await rotate()).client);
    const TLS = { static: { member, operatorSecret: 'safe-client' } };
    await ground.create('safe', { size: 3, TLS, pod: { persistentVolumeClaimSpec } });
    await ground.settled('safe');
    const ids = await detailIds();
    const both = `${former.ca}\n${next.ca}`;
    const steps = [
      { issuer: former, bundle: both, restarts: true },
      { issuer: next, bundle: both, restarts: false },
      { issuer: next, bundle: next.ca, restarts: true },
    ];
    for (const [number, { issuer, bundle, restarts }] of steps.entries()) {
      const down = await ground.lab.faults.pod.freeze({ namespace: 'default', name: await dispensable() });
      [authority, trusted] = [issuer, bundle];
      connectWith((await rotate()).client);
      await ground.until('written', () =>
        ground.put('safe', `step-${number}`, 'acknowledged').then(
          () => true,
          () => undefined,
        ),
      );
      await down.heal();
      await ground.settled('safe');
      if (restarts) await restartEach();
    }
    expect(await detailIds()).toEqual(ids);
    for (const number of steps.keys()) expect(await ground.read('safe', `step-${number}`)).toBe('acknowledged');
    connectWith(await former.issue(roles.client));
    await expect(ground.read('safe', 'step-0')).rejects.toThrow(/certificate|alert|lost|closed/i);
  });
});
