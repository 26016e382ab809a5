// SPDX-License-Identifier: Apache-2.0
import type { Check } from '../check.ts';
import { isGenerated } from '../tree.ts';

/** The bracketed letters keep these patterns from matching themselves. */
const marks = [
  {
    rule: 'no-skipped-test',
    pattern:
      /\b(it|test|describe|suite)\.(ski[p]|onl[y]|tod[o]|fail[s]|skipI[f]|runI[f])\b|\bxi[t]\(|\bxdescrib[e]\(|t\.Ski[p]\(/,
    message: 'a test runs always and is expected to pass: remedy it, or delete it with what it tests',
  },
  {
    rule: 'no-unfinished-mark',
    pattern: /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/,
    message: 'finish it now, or open an issue and take the mark out',
  },
  {
    rule: 'no-silenced-checker',
    pattern: /@ts-(ignor[e]|expect-erro[r]|nochec[k])|biome-ignor[e]|oxlint-disabl[e]|eslint-disabl[e]/,
    message: 'remedy what the checker found instead of silencing it',
  },
  {
    rule: 'no-any',
    pattern: /\bas an[y]\b|: an[y]\b/,
    message: 'name the type, or take unknown and look at it before use',
  },
] as const;

/** Left-overs that must not be committed: tests that do not run, unfinished work, disabled checkers. */
export const leftovers: Check = {
  name: 'skipped tests, unfinished marks, silenced checkers',
  async run(tree) {
    const files = tree.files.filter((file) => /\.(tsx?|mjs|go|sh)$/.test(file) && !isGenerated(file));
    const problems = files.flatMap((file) =>
      tree
        .read(file)
        .split('\n')
        .flatMap((text, index) =>
          marks
            .filter(({ pattern }) => pattern.test(text))
            .map(({ rule, message }) => ({ rule, file, line: index + 1, message })),
        ),
    );
    return { problems };
  },
};
