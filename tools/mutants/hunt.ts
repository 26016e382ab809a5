// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTree } from '../check/tree.ts';
import { type Mutant, mutated, whyStale } from './mutant.ts';
import type { Notice } from './page.ts';
import { failingTests, type RunOptions } from './run-tests.ts';
import { testsFor } from './tests-for.ts';
import { WorkingCopy } from './working-copy.ts';

export interface HuntOptions extends Omit<RunOptions, 'limit'> {
  /** Also asks tests in the lab. */
  readonly lab: boolean;
  /** Also asks the simulation, whether other tests notice or not. */
  readonly simulation: boolean;
}

/** Breaks a copy of a repository by one mutant after the other, and says who notices each. */
export class Hunt implements Disposable {
  readonly #copy: WorkingCopy;
  readonly #files: readonly string[];
  readonly #options: HuntOptions;
  /** Sets of tests that pass on the operator as it is. */
  readonly #sound = new Set<string>();

  constructor(original: string, options: HuntOptions) {
    this.#copy = new WorkingCopy(original);
    this.#files = openTree(this.#copy.root).files;
    this.#options = options;
  }

  async notice(mutant: Mutant): Promise<Notice> {
    const path = join(this.#copy.root, mutant.file);
    const source = readFileSync(path, 'utf8');
    const stale = whyStale(mutant, source);
    if (stale !== undefined) throw new Error(`mutant "${mutant.name}": ${stale}`);
    const { own, others, simulation } = testsFor(mutant.file, this.#files, this.#options);
    const asked = this.#options.simulation ? simulation : [];
    for (const tests of [others, own, asked]) await this.#requireSound(tests);
    writeFileSync(path, mutated(mutant, source));
    try {
      const wide = await this.#failing(others);
      const needsOwn = wide.length === 0 || this.#options.all;
      const by = needsOwn ? [...wide, ...(await this.#failing(own))] : wide;
      const bySimulation = this.#options.simulation ? await this.#failing(asked) : undefined;
      const isWide = wide.length > 0 || (bySimulation?.length ?? 0) > 0;
      const verdict = isWide ? 'caught' : by.length > 0 ? 'only by its own test' : 'survived';
      return { verdict, by, bySimulation };
    } finally {
      writeFileSync(path, source);
    }
  }

  [Symbol.dispose](): void {
    this.#copy[Symbol.dispose]();
  }

  /** A test that fails anyway notices nothing. */
  async #requireSound(tests: readonly string[]): Promise<void> {
    const key = tests.join();
    if (this.#sound.has(key)) return;
    const failing = await this.#failing(tests);
    if (failing.length > 0)
      throw new Error(`these tests fail on the operator as it is, fix them first: ${failing.join(', ')}`);
    this.#sound.add(key);
  }

  #failing(tests: readonly string[]): Promise<readonly string[]> {
    const limit = this.#options.lab ? 1_800_000 : 900_000;
    return failingTests(this.#copy.root, tests, { ...this.#options, limit });
  }
}
