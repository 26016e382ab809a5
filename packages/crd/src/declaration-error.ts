// SPDX-License-Identifier: Apache-2.0

/** One thing that Kubernetes would refuse, and where it is. */
export interface Problem {
  /** `spec.pod.tolerations[].key`; for what is not a field, the name of the option, such as `columns[0]`. */
  readonly path: string;
  readonly message: string;
}

/** Thrown when a declaration says what Kubernetes would refuse. It lists everything that is wrong, each with its path. */
export class DeclarationError extends Error {
  readonly code = 'InvalidDeclaration';
  readonly problems: readonly Problem[];

  constructor(kind: string, problems: readonly Problem[]) {
    super(`the kind ${kind} cannot be declared:\n${problems.map((p) => `  ${p.path}: ${p.message}`).join('\n')}`);
    this.name = 'DeclarationError';
    this.problems = problems;
  }
}
