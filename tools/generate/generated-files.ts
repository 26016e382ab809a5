// SPDX-License-Identifier: Apache-2.0
import { apiGroups } from './api-groups.ts';
import type { Capture } from './capture.ts';
import { embeddedSchemas } from './embedded-schemas.ts';
import { kubeTypes } from './kube-types.ts';
import { labDocuments } from './lab-documents.ts';
import type { OutputFile } from './output.ts';
import { patchSchemas } from './patch-schemas.ts';

const kubeFolder = 'packages/kube/src/generated';
const crdFolder = 'packages/crd/src/generated';
export const labFolder = 'packages/kube-lab/src/generated';

/** The folders that hold generated files and nothing else. */
export const folders: readonly string[] = [kubeFolder, crdFolder, labFolder];

/** All generated files, from a server's description. */
export function generatedFiles(capture: Capture): readonly OutputFile[] {
  return [
    ...kubeTypes(capture, apiGroups, kubeFolder),
    patchSchemas(capture, `${kubeFolder}/patch-schemas.ts`),
    embeddedSchemas(capture, `${crdFolder}/embedded-types.ts`),
    ...labDocuments(capture, labFolder),
  ];
}
