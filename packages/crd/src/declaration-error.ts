// SPDX-License-Identifier: Apache-2.0

/** One error of a declaration, and its path. */
export interface Problem {
  /** `spec.pod.tolerations[].key`; for other options, their name, such as `columns[0]`. */
  readonly path: string;
  readonly message: string;
}

/** Thrown for a declaration that Kubernetes would refuse. It lists all errors with their paths. */
export class DeclarationError extends Error {
  readonly code = 'InvalidDeclaration';
  readonly problems: readonly Problem[];

  constructor(kind: string, problems: readonly Problem[]) {
    super(`the kind ${kind} cannot be declared:\n${problems.map((p) => `  ${p.path}: ${p.message}`).join('\n')}`);
    this.name = 'DeclarationError';
    this.problems = problems;
  }
}
