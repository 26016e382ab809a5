// SPDX-License-Identifier: Apache-2.0

/** A PEM text, or the file that holds it. The file is read again when it may have been rotated. */
export type Pem = { readonly kind: 'data'; readonly pem: string } | { readonly kind: 'file'; readonly path: string };

/** A program that prints a credential (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly installHint?: string;
}

/** How to authenticate, in addition to a client certificate. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly path: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly plugin: ExecPlugin };

/** Impersonation of another user. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The configuration for one API server, as data: from a kubeconfig, from inside a cluster, or written by hand. It
 * contains file names; `connect` reads the files, repeatedly.
 */
export interface ClusterConfig {
  /** `https://host:6443`, or `http://...` for `kubectl proxy` and tests. */
  readonly server: string;
  /** The namespace of the context, or of the pod. */
  readonly namespace: string;
  readonly certificateAuthority?: Pem;
  readonly clientCertificate?: Pem;
  readonly clientKey?: Pem;
  /** The expected name in the server's certificate, if it differs from the host. */
  readonly serverName?: string;
  readonly proxyUrl?: string;
  readonly credential: Credential;
  readonly impersonate?: Impersonation;
  /** The source of this configuration, for messages: `context "dev" of /home/me/.kube/config`. */
  readonly source: string;
}
