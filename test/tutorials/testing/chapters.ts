// SPDX-License-Identifier: Apache-2.0

/** A page whose commands are typed. */
export interface Chapter {
  /** From the root of the repository. */
  readonly page: string;
  /** The folder of the repository that its reader is in. @default a folder of their own, with the examples in it */
  readonly folder?: string;
  /** How many commands it has: none is left out unnoticed. */
  readonly commands: number;
  /** It waits for the clock: it is typed in a folder of its own while the others are. @default false */
  readonly meanwhile?: true;
}

/** The tutorials' chapters in the order in which they are typed: first what needs an empty Kubernetes. */
export const chapters: readonly Chapter[] = [
  { page: 'test/tutorials/chapters/jobs.md', commands: 41, meanwhile: true },
  { page: 'test/tutorials/chapters/declarative-api.md', commands: 20 },
  { page: 'test/tutorials/chapters/old-versions.md', commands: 4 },
  { page: 'test/tutorials/chapters/rbac.md', commands: 36 },
  { page: 'example/statefulset-operator/README.md', folder: 'example/statefulset-operator', commands: 23 },
  { page: 'test/tutorials/chapters/operator.md', commands: 31 },
];
