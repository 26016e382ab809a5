// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { citations, citationsIn } from './citations.ts';

/** The texts are composed here, so that this file contains no citation. */
const cite = (kind: string, rest: string) => `${kind} ${rest}`;

const page = (...headings: string[]) => ({
  'docs/rules/safety.md': `# Rules\n\n${headings.map((text) => `### ${text}\n`).join('\n')}`,
});
const code = (comment: string) => ({ 'packages/kube/src/cited.ts': source(`/** ${comment} */`) });

async function rulesBroken(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await problemsWith(citations, files)).map(({ rule, message }) => `${rule}: ${message.split(':')[0]}`);
}

describe('the rulebook and those who cite it', () => {
  const one = cite('safety rule', '1');

  test('agree', async () => {
    expect(await rulesBroken({ ...page(`${one}: first`), ...code(`${one}.`) })).toEqual([]);
  });

  test('a citation that leads nowhere is a problem', async () => {
    const two = cite('safety rule', '2');
    expect(await rulesBroken({ ...page(`${one}: first`), ...code(`${one}, ${two}`) })).toEqual([
      `unresolved-citation: docs/rules has no ${two}`,
    ]);
  });

  test('an entry that only documentation cites is a problem', async () => {
    const guide = { 'docs/guide.md': `See ${one}.\n` };
    expect(await rulesBroken({ ...page(`${one}: first`), ...guide })).toEqual([
      `uncited-rule: no code and no test cites ${one} (first)`,
    ]);
  });

  test('a number without its kind is a problem', async () => {
    const bare = cite('rule', '1');
    expect(await rulesBroken({ ...page(`${one}: first`), ...code(`${one}, ${bare}`) })).toEqual([
      `ambiguous-citation: "${bare}" does not say which page it means`,
    ]);
  });

  test('a number or a name that is given twice is a problem', async () => {
    const three = cite('fault', '3');
    const files = { ...page(`${one}: first`, `${one}: second`, `${three}: first`), ...code(one) };
    const broken = await problemsWith(citations, files);
    expect(broken.filter(({ rule }) => rule === 'rule-defined-twice')).toHaveLength(2);
  });

  test('a heading that is no entry is a problem', async () => {
    expect(await rulesBroken(page('One more thing'))).toEqual(['unreadable-rule: "### One more thing" is no entry']);
  });
});

describe('what a text cites', () => {
  test.each([
    [cite('operator rules', '1, 5 and 30'), ['operator rule 1', 'operator rule 5', 'operator rule 30']],
    [cite('Safety rules', '13 to 15'), ['safety rule 13', 'safety rule 14', 'safety rule 15']],
    [cite('fault', 'R7: something'), ['fault R7']],
    [cite('etcd fact', '6, 3 members'), ['etcd fact 6']],
    [`(${cite('security', `\n * ${cite('rule', '5')}`)})`, ['security rule 5']],
    [cite('faults', '26 to 29 and 32'), ['fault 26', 'fault 27', 'fault 28', 'fault 29', 'fault 32']],
  ])('%j', (text, names) => {
    expect(citationsIn(text).flatMap((citation) => citation.names ?? [])).toEqual(names);
  });

  test('words that only look like it are none', () => {
    expect(citationsIn('a rule of 3, faults.map(1), default 7, the rules: 4')).toEqual([]);
  });
});
