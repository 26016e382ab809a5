// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { versionOf } from '../versions/version.ts';
import { joinsAsLearner, knowsLearners, type LearnerContext, learnersAllowed } from './learners.ts';

const member = (version: string, raisedMaxLearners = true): LearnerContext => ({
  version: versionOf(version),
  raisedMaxLearners,
});

describe('operator rule 12: where members join as learners', () => {
  test.each([
    ['3.3.25', false],
    ['3.4.44', false],
    ['3.5.0', false],
    ['3.5.19', false],
    ['3.5.20', true],
    ['3.5.35', true],
    ['3.6.0-rc.1', false],
    ['3.6.0', true],
    ['3.7.3', true],
  ])('%s: %s', (version, expected) => {
    expect(joinsAsLearner(versionOf(version))).toBe(expected);
  });

  test('the version that has learners at all is an older one', () => {
    expect(knowsLearners(versionOf('3.3.27'))).toBe(false);
    expect(knowsLearners(versionOf('3.4.0'))).toBe(true);
  });
});

describe('operator rule 2: how many learners at a time', () => {
  test('seven if every member, the joining one too, runs 3.6 or newer with the raised value', () => {
    expect(learnersAllowed([member('3.6.16'), member('3.6.16'), member('3.7.3')])).toBe(7);
  });

  test('one if a single member has the default: it would skip the second addition and panic at its promotion', () => {
    expect(learnersAllowed([member('3.6.16'), member('3.6.16', false), member('3.6.16')])).toBe(1);
  });

  test('one on 3.5, which has no such option, whatever its environment says', () => {
    expect(learnersAllowed([member('3.5.35')])).toBe(1);
  });

  test('one while versions are mixed in an upgrade from 3.5', () => {
    expect(learnersAllowed([member('3.6.16'), member('3.5.35')])).toBe(1);
  });

  test('none where a member does not know learners, or nothing is known', () => {
    expect(learnersAllowed([member('3.4.44'), member('3.3.25')])).toBe(0);
    expect(learnersAllowed([])).toBe(0);
  });
});
