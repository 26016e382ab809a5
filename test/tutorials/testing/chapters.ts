// SPDX-License-Identifier: Apache-2.0

/** A page whose commands are typed. */
export interface Chapter {
  /** From the root of the repository. */
  readonly page: string;
  /** The working folder in the repository. @default a separate folder that contains the examples */
  readonly folder?: string;
  /** The number of its commands, so that none is left out unnoticed. */
  readonly commands: number;
  /** It takes long because it waits: it is typed in a separate folder, concurrently with the others. @default false */
  readonly meanwhile?: true;
}

/** The tutorials' chapters in typing order: first those that need an empty Kubernetes. */
export const chapters: readonly Chapter[] = [
  { page: 'test/tutorials/chapters/jobs.md', commands: 41, meanwhile: true },
  { page: 'test/tutorials/chapters/declarative-api.md', commands: 20 },
  { page: 'test/tutorials/chapters/old-versions.md', commands: 4 },
  { page: 'test/tutorials/chapters/rbac.md', commands: 36 },
  { page: 'example/statefulset-operator/README.md', folder: 'example/statefulset-operator', commands: 23 },
  { page: 'test/tutorials/chapters/operator.md', commands: 31 },
];
