// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { chosenControllers } from './chosen-controllers.ts';
import { FlagError } from './go-flags.ts';

test('names are separated by commas; their order and repetition do not count', () => {
  expect(chosenControllers('cluster')).toEqual(['cluster']);
  expect(chosenControllers('restore, cluster,backup,restore')).toEqual(['cluster', 'backup', 'restore']);
});

test.each(['', 'clusters', 'cluster,', 'cluster,all'])('"%s" is refused, and all names are told', (text) => {
  expect(() => chosenControllers(text)).toThrow(FlagError);
  expect(() => chosenControllers(text)).toThrow('is not one of cluster, backup, restore');
});
