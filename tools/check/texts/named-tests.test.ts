// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../repository-root.ts';
import { problemsWith, source } from '../fixture-tree.ts';
import { isProduct, openTree } from '../tree.ts';
import { namedTests, rowsWithTests } from './named-tests.ts';

const file = 'packages/ports/src/noon.test.ts';
const trial = { [file]: source("test('[1] noon is noon', () => {});") };
const page = (text: string) => ({ ...trial, 'docs/security/page.md': text });
const link = (name: string) => `[${name}](../../${file})`;

test('a name that a test has is fine, in a section and in a row', async () => {
  const table = `| abuse | test |\n| --- | --- |\n| a | ${link('[1] noon is noon')} |\n`;
  const text = `## 1\n\nPromise.\n\n- ${link('[1] noon is noon')}\n\n${table}`;
  expect(await problemsWith(namedTests, page(text))).toEqual([]);
});

test('a name that no test has is found', async () => {
  expect(await problemsWith(namedTests, page(`## 1\n\n- ${link('noon is midnight')}\n`))).toMatchObject([
    { rule: 'unknown-test', line: 3, message: expect.stringContaining('"noon is midnight"') },
  ]);
});

test('a section or a row without a test is found', async () => {
  const table = '| abuse | test |\n| --- | --- |\n| steal | |\n';
  expect(await problemsWith(namedTests, page(`## 1\n\nPromise.\n\n## Else\n\n${table}`))).toMatchObject([
    { rule: 'untested-promise', message: expect.stringContaining('section 1') },
    { rule: 'untested-promise', message: expect.stringContaining('"steal"') },
  ]);
});

test('the threat model names a test for each abuse', () => {
  const rows = rowsWithTests(openTree(repositoryRoot).read('docs/security/threat-model.md'));
  expect(rows.length).toBeGreaterThan(20);
});

test('no source turns verification of certificates off', () => {
  const tree = openTree(repositoryRoot);
  // The lab is a test bed, and its probes and proxies behave like a kubelet's.
  const files = tree.files.filter((name) => isProduct(name) && !name.startsWith('packages/kube-lab/'));
  const having = (text: RegExp) => files.filter((name) => text.test(tree.read(name)));
  expect(files.length).toBeGreaterThan(300);
  expect(having(/rejectUnauthorized: *false|NODE_TLS_REJECT_UNAUTHORIZED/)).toEqual([]);
  // Uses a shared key, without certificates.
  expect(having(/checkServerIdentity/)).toEqual(['apps/operator/src/restore/delivery/agent-connection.ts']);
});
