// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Status } from '@operator-parts/kube';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The user whose request is to be admitted. */
export interface AdmissionUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the API server asks about: `admission.k8s.io/v1`, as on the wire. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: AdmissionUser;
  /** The new object; null for a deletion. */
  readonly object?: T | null;
  /** The existing object; null for a creation. */
  readonly oldObject?: T | null;
  /** Nothing will be stored: side effects are not allowed. */
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** The answer, as on the wire. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patchType?: 'JSONPatch';
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

export interface AdmissionReview {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly response: AdmissionResponse;
}
