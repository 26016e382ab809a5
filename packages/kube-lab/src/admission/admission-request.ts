// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';
import type { Call } from '../server/core.ts';

/** A write as admission sees it: who sends it, and what is to be written. */
export interface AdmissionRequest {
  readonly call: Call;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The object as it is to be stored; undefined for DELETE. Mutating steps change it in place. */
  readonly object: JsonObject | undefined;
  /** The object before; undefined for CREATE. */
  readonly old: JsonObject | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
}

/** One built-in admission step. Throws an `ApiError` to refuse. */
export type AdmissionStep = (request: AdmissionRequest) => void;
