// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';
import type { Call } from '../server/core.ts';

/** The user that sends the write and the object to be written, as admission sees it. */
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
