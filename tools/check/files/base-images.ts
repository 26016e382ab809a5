// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';

const containerfile = /(^|\/)(Containerfile|Dockerfile)(\.[\w-]+)?$/;
const digest = /@sha256:[0-9a-f]{64}$/;

/** A tag can change its content: images must be based on nothing, an earlier stage, or a base with a digest. */
export const baseImages: Check = {
  name: 'base images',
  async run(tree) {
    const files = tree.files.filter((file) => containerfile.test(file));
    return { problems: files.flatMap((file) => unpinned(file, tree.read(file))) };
  },
};

function unpinned(file: string, text: string): readonly Problem[] {
  const problems: Problem[] = [];
  const stages = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0]?.toUpperCase() !== 'FROM') continue;
    const [base = '', as = '', stage = ''] = words.slice(1).filter((word) => !word.startsWith('--'));
    if (!isPinned(base, stages)) {
      const remedy = 'build FROM scratch or an earlier stage, or name the base with its @sha256 digest';
      problems.push({
        rule: 'base-image',
        file,
        line: index + 1,
        message: `${base} can be another image later: ${remedy}`,
      });
    }
    if (as.toUpperCase() === 'AS') stages.add(stage);
  }
  return problems;
}

/** A variable is set from outside and can have any value. */
function isPinned(base: string, stages: ReadonlySet<string>): boolean {
  return base === 'scratch' || stages.has(base) || (digest.test(base) && !base.includes('$'));
}
