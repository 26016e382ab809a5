// SPDX-License-Identifier: Apache-2.0
import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PluginLab } from './testing/plugin-lab.ts';

let ground: PluginLab;
let example: EtcdCluster;
beforeAll(async () => {
  ground = await PluginLab.start(2);
  example = await ground.cluster('example', { size: 2 });
}, 300_000);
afterAll(() => ground?.[Symbol.asyncDispose]());

interface MemberList {
  readonly linearizable: boolean;
  readonly members: readonly { readonly name: string; readonly role: string }[];
}

const kubectlEtcd = (line: string, file?: string) => ground.type(line, file);
const file = (spec: object) => JSON.stringify({ ...example, metadata: { name: 'example' }, spec });

test('a person looks at a cluster, plans changes and moves its leader, all through the API server', async () => {
  const seen = await ground.prints('status', /EtcdCluster default\/example {3}Running {3}2 of 2 ready/);
  expect(seen).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/Leader +3\.6\.\d+ .* node-\d/) });

  const listed = JSON.parse((await ground.prints('members example -o json', /"Follower"/)).out) as MemberList;
  expect(listed.linearizable).toBe(true);
  const follower = listed.members.find(({ role }) => role === 'Follower')?.name ?? '';

  await ground.prints(`move-leader example ${follower}`, new RegExp(`^${follower} leads already`));
  expect(await kubectlEtcd('move-leader example nobody')).toMatchObject({ status: 1, out: '' });
}, 300_000);

test('plan runs the real planner on the real cluster and changes nothing', async () => {
  const grown = await ground.prints('plan -f more.yaml', /The cluster keeps its quorum/, file({ size: 3 }));
  expect(grown).toMatchObject({ status: 0, err: '' });
  expect(grown.out).toContain('spec.size: 2 -> 3');
  expect(grown.out).toContain('Adding member example-');

  expect(await ground.prints('plan', /No steps\./)).toMatchObject({ status: 0 });
  const refused = await kubectlEtcd('plan -f many.yaml', file({ size: 9 }));
  expect(refused).toMatchObject({ status: 2, err: expect.stringContaining('size must be between 1 and 7') });
  const far = await ground.prints(
    'plan -f far',
    /After these steps, the operator waits/,
    file({ size: 2, version: '3.9.0' }),
  );
  expect(far.status).toBe(3);

  const { spec } = await ground.lab
    .client()
    .resource(etcdClusters.resource)
    .get({ namespace: 'default', name: 'example' });
  expect(spec.size).toBe(2);
}, 300_000);

test('what is not there is named', async () => {
  expect(await kubectlEtcd('status nobody')).toMatchObject({
    status: 1,
    err: 'error: there is no EtcdCluster nobody in namespace default\n',
  });
  expect((await kubectlEtcd('status -n empty')).err).toBe('error: there is no EtcdCluster in namespace empty\n');
}, 300_000);

test('members that only the plugin does not reach are not taken for lost', async () => {
  using fault = ground.lab.server.faults.error({ resource: 'pods', subresource: 'portforward' }, { code: 403 });
  const who = String.raw`example-\w+ \(.+\), example-\w+ \(.+\)`;
  const found = await ground.prints('doctor example', /SOON .*: etcd is not reachable from here/);
  expect(found).toMatchObject({ status: 0, err: '' });
  expect(found.out).toMatch(new RegExp(`Kubernetes reports a quorum of pods Ready.* Not reachable from here: ${who}`));
  const recovered = await kubectlEtcd('recover example --yes');
  expect(recovered).toMatchObject({ status: 1, out: expect.not.stringContaining('Lost') });
  expect(recovered.err).toMatch(new RegExp(`recovery is not needed\\. Not reachable from here: ${who}`));
  expect((await kubectlEtcd('plan example')).out).toMatch(new RegExp(`^Not reachable from here: ${who}`, 'm'));
  expect((await kubectlEtcd('members example')).err).toMatch(new RegExp(`is reachable from here: ${who}`));
  expect(fault.hits).toBeGreaterThan(0);
}, 300_000);

test('members fails if etcd itself cannot say who they are, shows what one knows, and names those that are not reachable', async () => {
  const { members } = JSON.parse((await ground.prints('members example -o json', /"Leader"/)).out) as MemberList;
  const [one = '', other = ''] = members.map(({ name }) => name);
  await using _one = await ground.lab.faults.pod.freeze({ namespace: 'default', name: one });
  const half = await ground.prints('members example', /may be stale/);
  expect(half).toMatchObject({ status: 1, out: expect.stringContaining(other) });
  expect(half.err).toMatch(
    /^error: the members of EtcdCluster default\/example cannot be listed, because no quorum answers: .+\n$/,
  );

  await using _other = await ground.lab.faults.pod.freeze({ namespace: 'default', name: other });
  const none = await kubectlEtcd('members example');
  expect(none).toMatchObject({ status: 1, out: '' });
  expect(none.err).toMatch(
    /^error: no member of EtcdCluster default\/example is reachable from here: example-\w+ \(.+\), example-\w+ \(.+\)\n$/,
  );
  const data = await kubectlEtcd('members example -o json');
  expect(data).toMatchObject({
    status: 1,
    err: expect.stringMatching(/^error: no member .* is reachable from here: /),
  });
  expect(JSON.parse(data.out)).toMatchObject({ linearizable: false, members: [] });
  expect(await kubectlEtcd('move-leader example')).toMatchObject({ status: 1, out: '' });
}, 300_000);
