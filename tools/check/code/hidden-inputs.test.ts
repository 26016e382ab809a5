// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { hiddenInputs } from './hidden-inputs.ts';

const file = 'packages/kube/src/trial.ts';

describe('hidden time and randomness', () => {
  test.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'performance.now()',
    'setTimeout(() => 1, 2)',
    'setInterval(() => 1, 2)',
    'setImmediate(() => 1)',
    'globalThis.setTimeout(() => 1, 2)',
    'process.nextTick(() => 1)',
    'process.hrtime.bigint()',
    'AbortSignal.timeout(5)',
    '[1].map(setImmediate)',
    '{ later: setTimeout }',
    'Date.now',
  ])('%s is hidden time', async (expression) => {
    const problems = await problemsWith(hiddenInputs, { [file]: source(`export const trial = ${expression};`) });
    expect(problems).toEqual([
      expect.objectContaining({ rule: 'hidden-time', file, line: 2, message: expect.stringContaining('Clock') }),
    ]);
  });

  test.each(['Math.random()', 'crypto.randomUUID()', 'crypto.getRandomValues(new Uint8Array(1))'])(
    '%s is hidden randomness',
    async (expression) => {
      const problems = await problemsWith(hiddenInputs, { [file]: source(`export const trial = ${expression};`) });
      expect(problems).toEqual([expect.objectContaining({ rule: 'hidden-randomness', file, line: 2 })]);
    },
  );

  test.each([
    ['hidden-randomness', "import { randomUUID } from 'node:crypto';"],
    ['hidden-randomness', "import { randomBytes as bytes } from 'crypto';"],
    ['hidden-time', "import { setTimeout as sleep } from 'node:timers/promises';"],
    ['hidden-time', "import { performance } from 'node:perf_hooks';"],
  ])('%s: %s', async (rule, text) => {
    const problems = await problemsWith(hiddenInputs, { [file]: source(text) });
    expect(problems).toEqual([expect.objectContaining({ rule, file, line: 2 })]);
  });

  test.each([
    'export const text = "Date.now()"; // Math.random()',
    'export const parsed = new Date(0);',
    "export const parsed = Date.parse('2026-01-01');",
    'export const quiet = (socket: { setTimeout(n: number): void }) => socket.setTimeout(5);',
    'export const options = { setTimeout: 1 };',
    'export interface Timers {\n  setTimeout(n: number): void;\n}',
    'export const at = ` new Date()`;',
    "import { createHash } from 'node:crypto';\n\nexport const hash = createHash('sha256');",
  ])('fine: %s', async (text) => {
    expect(await problemsWith(hiddenInputs, { [file]: source(text) })).toEqual([]);
  });

  test.each(['packages/ports/src/trial.ts', 'packages/kube/src/trial.test.ts', 'tools/trial.ts', 'bench/trial.ts'])(
    '%s may look at the real clock',
    async (allowed) => {
      expect(await problemsWith(hiddenInputs, { [allowed]: source('export const now = Date.now();') })).toEqual([]);
    },
  );

  test.each(['apps/operator/src/trial.ts', 'example/network-controller/src/trial.ts'])(
    '%s may not',
    async (product) => {
      expect(await problemsWith(hiddenInputs, { [product]: source('export const now = Date.now();') })).toHaveLength(1);
    },
  );
});
