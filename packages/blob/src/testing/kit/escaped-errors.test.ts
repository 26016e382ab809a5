// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { EscapedErrors } from './escaped-errors.ts';

test('uncaught errors are reported once, also those that come a little later', async () => {
  const process = new EventEmitter();
  using escaped = new EscapedErrors(process);
  process.emit('uncaughtException', 'thrown');
  setImmediate(() => process.emit('unhandledRejection', 'rejected'));
  expect(await escaped.taken()).toEqual(['thrown', 'rejected']);
  expect(await escaped.taken()).toEqual([]);
});

test('the listeners are removed afterwards', () => {
  const process = new EventEmitter();
  new EscapedErrors(process)[Symbol.dispose]();
  expect(process.eventNames()).toEqual([]);
});
