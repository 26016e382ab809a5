// SPDX-License-Identifier: Apache-2.0
import type { Patch } from './client.ts';

/** A patch as a request body. */
export function patchBody(patch: Patch): { readonly contentType: string; readonly body: string } {
  switch (patch.type) {
    case 'json':
      return { contentType: 'application/json-patch+json', body: JSON.stringify(patch.operations) };
    case 'merge':
      return { contentType: 'application/merge-patch+json', body: JSON.stringify(patch.patch) };
    case 'strategic':
      return { contentType: 'application/strategic-merge-patch+json', body: JSON.stringify(patch.patch) };
  }
}

/** Characters that JSON allows unescaped in a string but YAML does not. */
const notPrintableInYaml = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** An apply configuration as a request body: the server reads it as YAML, of which JSON is nearly a subset. */
export function applyBody(object: unknown): { readonly contentType: string; readonly body: string } {
  const body = JSON.stringify(object).replace(
    notPrintableInYaml,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { contentType: 'application/apply-patch+yaml', body };
}
