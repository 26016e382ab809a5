// SPDX-License-Identifier: Apache-2.0
/** A cluster with peer and client TLS, with the secrets and keys that CoreOS names. */
import { EtcdError } from '@operator-parts/etcd';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secureCluster, staticTls } from './testing/cluster-certificates.ts';
import { type Trust, withMember } from './testing/scenes/etcd-view.ts';
import { nothingLost, OperatorScene } from './testing/scenes/operator-scene.ts';
import { until } from './testing/until.ts';

const name = 'secured';
let here: OperatorScene;
let trust: Trust;

beforeAll(async () => {
  here = await OperatorScene.open('tls');
  trust = await secureCluster(here.scene, name);
  here.trust(name, trust);
});

afterAll(() => here?.[Symbol.asyncDispose]());

test('comes up, heals, and serves no client without a certificate (C-28)', async () => {
  await using _cluster = await here.threeMembers(name, { TLS: staticTls });
  const [first = {}] = await here.members(name);
  const host = first.status?.podIP ?? '';
  await expect(withMember(host, ({ maintenance }) => maintenance.status())).rejects.toBeInstanceOf(EtcdError);
  const anonymous: Trust = { ...trust, tls: { ca: trust.tls.ca } };
  await expect(withMember(host, ({ maintenance }) => maintenance.status(), anonymous)).rejects.toBeInstanceOf(
    EtcdError,
  );
  const ask = () => withMember(host, ({ maintenance }) => maintenance.status(), trust);
  expect(await until('an answer to one with a certificate', ask)).toMatchObject({ version: '3.6.16' });
  const history = await here.whileWriting(name, async () => {
    await here.scene.kubectl('delete', 'pod', first.metadata?.name ?? '');
    await here.untilReplaced(name, 3, first);
  });
  expect(history).toMatchObject(nothingLost);
});
