// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseSurvivor, type Survivor } from './choose-survivor.ts';

const log = (name: string, term: number, index: number, commit = 0, voters = 1): Survivor => ({
  ...{ name, known: 'log', term, index, commit, voters, isVoter: true, isTorn: false },
  terms: [],
});
const pod = (name: string, index: number): Survivor => ({
  ...{ name, known: 'pod', term: 0, index, commit: index, voters: 0, isVoter: true, isTorn: false },
  terms: [],
});

const nameOf = (survivors: readonly Survivor[], wanted?: string) => {
  const choice = chooseSurvivor(survivors, [], wanted);
  return choice.kind === 'chosen' ? choice.survivor.name : choice.why;
};

describe('the member that a cluster is recovered from', () => {
  test('is the one whose last entry has the highest term, then the highest index', () => {
    expect(nameOf([log('a', 3, 90), log('b', 3, 92), log('c', 2, 400)])).toBe('b');
    expect(nameOf([pod('a', 90), pod('b', 92)])).toBe('b');
  });

  test('is the first by name of those that are equal, in whatever order they come', () => {
    const three = [log('a', 2, 9), log('b', 2, 9), log('c', 2, 8)];
    fc.assert(
      fc.property(fc.shuffledSubarray(three, { minLength: 3 }), (survivors) => {
        expect(nameOf(survivors)).toBe('a');
      }),
    );
  });

  test('is never behind another, whoever is asked for', () => {
    const survivor = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), term: fc.nat(3), index: fc.nat(5) });
    const several = fc.uniqueArray(survivor, { minLength: 1, selector: ({ name }) => name });
    fc.assert(
      fc.property(several, fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }), (found, wanted) => {
        const survivors = found.map(({ name, term, index }) => log(name, term, index));
        const choice = chooseSurvivor(survivors, [], wanted);
        if (choice.kind === 'refused') return;
        const { term, index } = choice.survivor;
        expect(survivors.every((one) => one.term < term || (one.term === term && one.index <= index))).toBe(true);
      }),
    );
  });

  test('that was asked for by name and is behind is refused, with what would be lost', () => {
    expect(nameOf([log('a', 3, 90), log('b', 3, 92)], 'a')).toContain('Up to 2 WAL entries would be lost');
    expect(nameOf([log('a', 3, 90), log('b', 3, 92)], 'b')).toBe('b');
    expect(nameOf([log('a', 3, 90)], 'a')).toBe('a');
    expect(nameOf([log('a', 3, 90)], 'z')).toContain('spec.source.survivor.member is z, but member z has no data');
  });

  test('is not chosen where another one knows more to be committed than its log has; that one may be named', () => {
    // A later leader, which is lost, committed entries of term 2. s5 had been elected in between, without them.
    const both = [log('x', 2, 1000, 1000, 5), log('s5', 3, 901, 800, 5)];
    const why =
      'member x has committed entries up to index 1000, but the WAL of member s5, of a later term, ends at index 901';
    expect(nameOf(both)).toContain(why);
    expect(nameOf(both)).toContain('set spec.source.survivor.member to x');
    expect(nameOf(both, 's5')).toContain(why);
    expect(chooseSurvivor(both, [], 'x')).toMatchObject({
      survivor: { name: 'x' },
      warning: expect.stringContaining('member s5 has entries of a later term, which are not used'),
    });
    expect(nameOf([log('a', 1, 5), pod('b', 7)], 'a')).toContain('member b has committed entries up to index 7');
  });

  test('can always be named by a person where any has data, and never lacks what another knows to be committed', () => {
    const names = ['a', 'b', 'c', 'd'] as const;
    const fields = { name: fc.constantFrom(...names), term: fc.nat(4), index: fc.nat(6), commit: fc.nat(6) };
    const survivor = fc.record({ ...fields, isPod: fc.boolean() });
    const several = fc.uniqueArray(survivor, { minLength: 1, selector: ({ name }) => name });
    fc.assert(
      fc.property(several, (found) => {
        const survivors = found.map(({ name, term, index, commit, isPod }) =>
          isPod ? pod(name, index) : log(name, term, index, Math.min(commit, index)),
        );
        const choices = names.map((name) => chooseSurvivor(survivors, [], name));
        const taken = choices.flatMap((choice) => (choice.kind === 'chosen' ? [choice.survivor] : []));
        expect(taken).not.toEqual([]);
        expect(taken.every(({ index }) => survivors.every(({ commit }) => commit <= index))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  describe('where two of five logs are left that contradict each other below the end of both', () => {
    type Terms = Survivor['terms'];
    const forked = (name: string, terms: Terms, index: number, commit: number, voters = 5): Survivor => ({
      ...log(name, terms.at(-1)?.[1] ?? 0, index, commit, voters),
      terms,
    });
    // A leader of term 6 was elected without the entry that the leader of term 5 had written at 90, and wrote its own there.
    const later: Terms = [
      [1, 4],
      [90, 6],
    ];
    const earlier: Terms = [
      [1, 4],
      [90, 5],
    ];

    test('no member is chosen, and either may be named: it is unknown which writes were acknowledged', () => {
      const both = [forked('a', earlier, 95, 89), forked('b', later, 99, 89)];
      expect(nameOf(both)).toContain('the WALs of members b and a contradict each other from index 90 on');
      expect(nameOf(both)).toContain('the operator read the WALs of only 2 of 5 voters');
      expect(nameOf(both)).toContain('set spec.source.survivor.member to b (the later term) or a');
      expect(chooseSurvivor(both, [], 'b')).toMatchObject({
        survivor: { name: 'b' },
        warning: expect.stringContaining(
          'the WAL of member a is not used, because this WAL contradicts, or may contradict, the WAL that is used',
        ),
      });
      expect(nameOf(both, 'a')).toBe('a');
    });

    test('the one whose entries are known to be committed is the only one that may be named', () => {
      // A lost leader of term 7 has committed what the leader of term 5 had written.
      const both = [forked('a', earlier, 95, 92), forked('b', later, 99, 89)];
      const why =
        'member a has committed entries up to index 92, but the WAL of member b has other entries in their place';
      expect(nameOf(both)).toContain(why);
      expect(nameOf(both, 'b')).toContain(why);
      expect(nameOf(both, 'a')).toBe('a');
    });

    test('the more advanced one is chosen where its own are known to be committed, or a majority of the logs was read', () => {
      expect(nameOf([forked('a', earlier, 95, 89), forked('b', later, 99, 93)])).toBe('b');
      expect(nameOf([forked('a', earlier, 95, 89, 3), forked('b', later, 99, 89, 3)])).toBe('b');
    });

    test('logs of which one is the beginning of the other do not contradict each other', () => {
      expect(
        nameOf([
          forked('a', [[1, 4]], 95, 89),
          forked(
            'b',
            [
              [1, 4],
              [96, 6],
            ],
            99,
            89,
          ),
        ]),
      ).toBe('b');
      // Its log starts from a snapshot beyond the end of the other log.
      expect(nameOf([forked('a', [[1, 4]], 95, 89), forked('b', [[120, 6]], 130, 125)])).toBe('b');
    });

    test('what cannot be compared is not guessed', () => {
      const both = [log('a', 5, 95, 89, 5), forked('b', later, 99, 89)];
      expect(nameOf(both)).toContain('may contradict each other');
      expect(nameOf(both, 'b')).toBe('b');
    });
  });

  test('comes with a warning where fewer than a majority of the voters was read; a learner does not count', () => {
    const warningOf = (survivors: readonly Survivor[]) => {
      const choice = chooseSurvivor(survivors, [], undefined);
      return choice.kind === 'chosen' ? choice.warning : choice.why;
    };
    const few = 'the operator read the WALs of only 1 of 3 voters, so acknowledged writes may be missing';
    expect(warningOf([log('a', 1, 5, 5, 3)])).toBe(few);
    expect(warningOf([log('a', 1, 5, 5, 3), { ...log('b', 1, 5, 5, 3), isVoter: false }])).toBe(few);
    expect(warningOf([log('a', 1, 5, 5, 3), log('b', 1, 5, 5, 3)])).toBeUndefined();
  });

  test('that was asked for by name is compared with those that it can be compared with, whoever else is there', () => {
    const mixed = [pod('p1', 1000), pod('p2', 500), log('l', 3, 2000)];
    expect(nameOf(mixed, 'p2')).toContain('member p2 is behind member p1');
    expect(nameOf(mixed, 'p1')).toBe('p1');
  });

  test('is nobody where none is left', () => {
    expect(nameOf([])).toContain('no member has usable data');
  });

  test('is not guessed where data cannot be read or compared; a person may name one, and is told what that means', () => {
    const damaged = [{ name: 'c', why: 'its write-ahead log is damaged' }];
    expect(chooseSurvivor([log('a', 1, 5)], damaged, undefined)).toMatchObject({ kind: 'refused' });
    expect(chooseSurvivor([log('a', 1, 5)], damaged, 'a')).toMatchObject({
      kind: 'chosen',
      warning: 'the data of member c could not be read and is not used',
    });
    expect(nameOf([log('a', 1, 5), pod('b', 7)])).toContain('cannot be compared');
    expect(nameOf([log('a', 1, 5), pod('b', 7)], 'b')).toBe('b');
  });

  test('says what may be missing', () => {
    const torn = chooseSurvivor([{ ...log('a', 1, 5), isTorn: true }], [], undefined);
    expect(torn).toMatchObject({ warning: expect.stringContaining('the last writes of member a may be missing') });
    const other = chooseSurvivor([{ ...log('a', 1, 5), isTorn: true }, log('b', 1, 7)], [], undefined);
    expect(other).toMatchObject({
      survivor: { name: 'b' },
      warning:
        'the last writes of member a may be missing, because the end of the WAL of this member is incomplete or was cut off',
    });
    expect(chooseSurvivor([pod('a', 5)], [], undefined)).toMatchObject({
      warning: expect.stringContaining('no volume'),
    });
  });
});
