// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';
import { repositoryRoot } from '../repository-root.ts';

/**
 * The slowest files, mostly waiting, the slowest first. If one of them started last, the whole run would wait for it;
 * vitest itself starts with the largest files, some of which are fast. The end of a CI run lists the slowest ones.
 */
export const longestFiles: readonly string[] = [
  'packages/controller-runtime/src/ways-to-the-server.conformance.test.ts',
  'packages/controller-runtime/src/real-server.conformance.test.ts',
  'test/guide/guide.lab.test.ts',
  'test/tutorials/chapters.lab.test.ts',
  'apps/playground/src/walk-through.lab.test.ts',
  'packages/controller-runtime/src/churn.conformance.test.ts',
  'apps/operator/src/backup/act/stored/store-faults.lab.test.ts',
  'apps/operator/src/stopped-leaders.lab.test.ts',
  'apps/operator/src/restore/stale-snapshot.lab.test.ts',
  'apps/operator/src/restore/unsaved.lab.test.ts',
  'test/conformance/api.test.ts',
  'packages/blob/src/azure/azure-faults.lab.test.ts',
  'test/guide/install.lab.test.ts',
  'apps/operator/src/cluster/plan/quorum/unreachable.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/one-piece-of-evidence.lab.test.ts',
  'apps/operator/src/cluster/act/lost-lease.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/dead-members.lab.test.ts',
  'apps/operator/src/restore/situations.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/nodes.lab.test.ts',
  'apps/playground/src/session.lab.test.ts',
  'apps/operator/src/restore/restore.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/unmanaged.lab.test.ts',
  'apps/operator/src/cluster/plan/rolling/upgrade.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/no-address.lab.test.ts',
];

/** Sorts as vitest does, and puts files beside a change first, so that a typo is told at once; then the longest of their project. */
export class LongestFirst extends BaseSequencer {
  readonly #changed: () => ReadonlySet<string>;

  constructor(vitest: Vitest, changed: () => ReadonlySet<string> = changedFolders) {
    super(vitest);
    this.#changed = changed;
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const changed = this.#changed();
    const place = new Map(
      (await super.sort(files)).map((file, index) => {
        const listed = longestFiles.findIndex((path) => file.moduleId.endsWith(`/${path}`));
        if (changed.has(dirname(file.moduleId))) return [file, index - longestFiles.length - files.length];
        return [file, listed >= 0 ? listed - longestFiles.length : index];
      }),
    );
    const order = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    return [...files].sort((a, b) => order(a) - order(b) || (place.get(a) ?? 0) - (place.get(b) ?? 0));
  }
}

/** Folders with files that differ from the last commit; none where there is no git. */
export function changedFolders(root = repositoryRoot): ReadonlySet<string> {
  try {
    const args = ['ls-files', '--modified', '--others', '--exclude-standard', '-z'];
    const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return new Set(paths.split('\0').flatMap((path) => (path === '' ? [] : dirname(join(root, path)))));
  } catch {
    return new Set();
  }
}
