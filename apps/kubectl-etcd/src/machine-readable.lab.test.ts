// SPDX-License-Identifier: Apache-2.0
/** What every command prints for programs. */

import { etcdRestores } from '@etcd-operator/operator';
import { crdOf } from '@operator-parts/crd';
import { customResourceDefinitions, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandHelp } from './help.ts';
import { BrowseLab } from './testing/browse-lab.ts';

let lab: BrowseLab;
beforeAll(async () => {
  lab = await BrowseLab.start();
}, 300_000);
afterAll(() => lab?.[Symbol.asyncDispose]());

/**
 * Command lines, what their output has at least, and their exit status if it is not 0. FORMAT stands for that of the output, MEMBER for
 * the member. */
const commands: readonly (readonly [line: string, shape: unknown, status?: number])[] = [
  ['doctor', { clusters: 1, findings: expect.any(Array) }],
  ['list -A', [{ name: 'example' }]],
  ['status example', { name: 'example', size: { wanted: 1 } }],
  ['events example', expect.any(Array)],
  ['logs example --tail 1', [{ member: expect.any(String), line: expect.any(String) }]],
  ['operators', expect.any(Array)],
  ['members example', { linearizable: true, members: [{ role: 'Leader' }] }],
  ['plan example', { steps: [] }],
  ['move-leader example MEMBER', { from: expect.any(String), to: expect.any(String) }],
  ['report example --tail 1', { objects: expect.any(Object) }],
  ['backup list', expect.arrayContaining([expect.objectContaining({ name: 'kept' })])],
  ['backup list --stored', expect.any(Array)],
  ['backup browse kept', { keys: expect.any(Array), count: expect.any(Number) }],
  ['backup diff kept live', { changes: [], same: expect.any(Number) }],
  [
    'backup create example --store s3://b/k --secret aws --name made-FORMAT',
    { kind: 'EtcdBackup', spec: { s3: { path: 'b/k' } } },
  ],
  ['recover example', expect.any(Object), 1],
  ['pause example', { paused: true }],
  ['resume example', { paused: false }],
  ['restore restored-FORMAT --store s3://b/k --secret aws', { kind: 'EtcdRestore' }],
];

test('every command is among them, but exec, whose output is that of another program', () => {
  const named = new Set(commands.map(([line]) => /^(?:backup )?\S+/.exec(line)?.[0] ?? ''));
  const all = Object.keys(commandHelp).filter((topic) => topic !== 'exec' && topic !== 'backup');
  expect(named).toEqual(new Set([...all, 'backup create']));
});

let member: string;

test('a backup is made, which those that follow look into', async () => {
  await lab.client.resource(customResourceDefinitions).create(crdOf(etcdRestores));
  await lab.backUp('kept', lab.inS3('kept'));
  expect((await lab.type('backup list')).out).toContain('kept');
  const { items } = await lab.client
    .resource(pods)
    .list({ namespace: 'default', labelSelector: 'etcd_cluster=example' });
  member = items[0]?.metadata?.name ?? '';
});

const formats = [
  ['json', (text: string): unknown => JSON.parse(text)],
  ['yaml', (text: string): unknown => parse(text)],
] as const;

test.each(
  commands.flatMap((command) =>
    formats.map(([format, read]) => [format, command[0], read, command[1], command[2]] as const),
  ),
)(
  '-o %s: %s',
  async (format, line, read, shape, status = 0) => {
    const asked = line.replace('FORMAT', format).replace('MEMBER', member);
    const printed = await lab.type(`${asked} -o ${format}`);
    expect(printed).toMatchObject({ status, err: expect.stringMatching(status === 0 ? /^$/ : /^error: /) });
    expect({ found: read(printed.out) }).toMatchObject({ found: shape });
  },
  120_000,
);
