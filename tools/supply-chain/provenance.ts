// SPDX-License-Identifier: Apache-2.0

/** The artifacts, their sources, and the build. */
export interface Build {
  /** The artifacts: file names, each with its SHA-256 in hexadecimal. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** The command that builds them again. */
  readonly command: string;
  readonly repository: string;
  /** Undefined outside a Git repository. */
  readonly commit: string | undefined;
  /** True if files differ from the commit. */
  readonly isModified: boolean;
  /** SHA-256 of package-lock.json, which pins all dependencies. */
  readonly lockFile: string;
  readonly version: string;
}

/** The provenance: an in-toto statement with SLSA provenance, version 1. */
export function provenance(build: Build): object {
  const { artifacts, command, repository, commit, isModified, lockFile, version } = build;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(artifacts).map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}/build/v1`,
        externalParameters: { command, version },
        internalParameters: { isModified },
        resolvedDependencies: [
          ...(commit === undefined ? [] : [{ uri: repository, digest: { gitCommit: commit } }]),
          { name: 'package-lock.json', digest: { sha256: lockFile } },
        ],
      },
      // The build is reproducible: the command gives the same digests on any machine, so this one need not be trusted.
      runDetails: { builder: { id: `${repository}/npm-run-image` } },
    },
  };
}
