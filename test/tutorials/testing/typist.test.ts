// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stepsOf } from './chapter.ts';
import { fits } from './fits.ts';
import { typeChapter } from './typist.ts';

describe('an answer fits what is printed', () => {
  const answer = 'NAME       READY   STATUS    RESTARTS   AGE\npi-rq5rl   1/1     Running   0          10s\n';

  test.each([
    [['NAME READY STATUS RESTARTS AGE', 'pi-<id> 1/1 Running 0 <age>']],
    [['pi-...']],
    [['...', 'pi-<id>   1/1   ...']],
    [[]],
  ])('%j', (printed) => {
    expect(fits(answer, printed)).toBe(true);
  });

  test.each([
    [['pi-<id> 0/1 Completed 0 <age>']],
    [['pi-<id> 1/1 Running 0 <age>', 'NAME READY STATUS RESTARTS AGE']],
    [['pi-<id> 1/1 Running 0 <age>', 'pi-<id> 1/1 Running 0 <age>']],
    [['pi.rq5rl ...']],
  ])('and %j does not', (printed) => {
    expect(fits(answer, printed)).toBe(false);
  });
});

describe('a chapter', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tutorials-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const follow = (...lines: readonly string[]) => {
    const page = join(folder, 'page.md');
    writeFileSync(page, `${lines.join('\n')}\n`);
    return typeChapter(page, { folder, env: { PATH: process.env['PATH'] ?? '' }, patience: 2_000 });
  };
  const block = (language: string, ...lines: readonly string[]) => [`\`\`\`${language}`, ...lines, '```'];

  test('is files, commands with answers, and programs that go on', () => {
    const page = join(folder, 'page.md');
    const text = [...block('yaml', '# a.yaml', 'b: 1'), ...block('console', '$ for i in a', '> do', 'a', '$ c')];
    writeFileSync(page, `${text.join('\n')}\n`);
    expect(stepsOf(page)).toEqual([
      { kind: 'save', line: 2, file: 'a.yaml', text: '# a.yaml\nb: 1\n' },
      { kind: 'type', line: 6, command: 'for i in a\ndo', answer: ['a'] },
      { kind: 'type', line: 9, command: 'c', answer: [] },
    ]);
  });

  test('is typed as it stands, in its order', async () => {
    const typed = await follow(
      ...block('yaml', '# a.yaml', 'b: 1'),
      ...block('console', '$ cat a.yaml', 'b: 1', '$ sed s/1/2/ a.yaml > b.yaml', '$ cat b.yaml', 'b: 2'),
    );
    expect(typed).toBe(3);
    expect(readFileSync(join(folder, 'b.yaml'), 'utf8')).toContain('b: 2');
  });

  test.each([
    ['a command that fails', ['$ false'], 'ended with status 1'],
    ['another answer than is printed', ['$ echo one', 'two'], 'answered otherwise'],
    ['a failure that is printed and does not happen', ['$ echo fine', 'error: no'], 'answered otherwise'],
    ['a failure of another kind than is printed', ['$ echo oh; false', 'error: no'], 'answered otherwise'],
    ['a failure after the printed answer', ['$ echo fine; false', 'fine'], 'ended with status 1'],
  ])('does not go past %s', async (_what, lines, message) => {
    await expect(follow(...block('console', ...lines))).rejects.toThrow(message);
  });

  test('a refusal that is printed is what is expected', async () => {
    expect(await follow(...block('console', '$ echo "error: not here" >&2; false', 'error: not here'))).toBe(1);
  });

  test('who only looks, looks again until it is there', async () => {
    writeFileSync(join(folder, 'kubectl'), '#!/bin/sh\necho x >> seen; wc -l < seen\n', { mode: 0o755 });
    const page = join(folder, 'page.md');
    writeFileSync(page, `${block('console', '$ kubectl get pods', '3').join('\n')}\n`);
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    expect(await typeChapter(page, { folder, env, patience: 10_000 })).toBe(1);
  });

  test('a program that goes on is heard, and ended with the chapter', async () => {
    const lines = [...block('sh', 'echo hello; echo $$ > pid; exec sleep 1000'), ...block('log', 'hello')];
    await follow(...lines);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
