// SPDX-License-Identifier: Apache-2.0

/** A valid spec with its defaults filled in; the spec itself is never changed. */
export interface Desired {
  readonly size: number;
  /** Without a leading `v`. */
  readonly version: string;
  readonly repository: string;
  /** `<repository>:v<version>` */
  readonly image: string;
  readonly storage: 'claim' | 'emptyDir' | 'memory';
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  /** Suffix behind `.svc`, with its leading dot; may be empty. */
  readonly clusterDomain: string;
  readonly podDisruptionBudget: boolean;
  /** What happens to pods that can be brought up to date only by replacing them, without a volume. */
  readonly updatePolicy: 'OnNextPod' | 'Replace';
  /** How long a member on a lost node, or one that does not answer, is waited for before it is replaced, in ms. */
  readonly replaceAfter: number;
  /** Options of the user that etcd of this version would refuse or ignore; they hold back a change of version. */
  readonly optionProblems: readonly string[];
}
