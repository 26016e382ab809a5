// SPDX-License-Identifier: Apache-2.0
import type { Capture } from './capture.ts';
import { generatedHeader, type OutputFile } from './output.ts';

/**
 * The documents that kube-lab serves like a real server: OpenAPI, compressed separately, discovery and the version. A
 * small source file lists them.
 */
export function labDocuments(capture: Capture, folder: string): OutputFile[] {
  const documents = [...capture.documents].map(([key, document]) => ({
    key,
    file: documentFile(key),
    text: JSON.stringify(document),
  }));
  const names = documents.map(({ key, file }) => `  ${JSON.stringify(key)}: ${JSON.stringify(file)},`);
  const index = [
    generatedHeader,
    '/** The OpenAPI documents by their key in the index of `/openapi/v3`: gzip files of JSON, beside this one. */',
    `export const openApiFiles: Readonly<Record<string, string>> = {\n${names.join('\n')}\n};\n`,
    '/** Discovery (`apidiscovery.k8s.io/v2`) as `/api` and `/apis` answer it, and the answer of `/version`. */',
    "export const discoveryFile = 'discovery.json';\n",
  ];
  return [
    ...documents.map(({ file, text }) => ({ path: `${folder}/${file}`, text })),
    { path: `${folder}/discovery.json`, text: `${JSON.stringify(discoveryOf(capture), undefined, 1)}\n` },
    { path: `${folder}/index.ts`, text: index.join('\n') },
  ];
}

/** The file of a document with a key of the OpenAPI index, relative to the folder. */
export function documentFile(key: string): string {
  return `openapi/${key.replaceAll('/', '.')}.json.gz`;
}

/** The server's build details are not part of its API and would change with every build. */
function discoveryOf({ discovery, version }: Capture): unknown {
  const { major, minor, gitVersion } = version;
  return { version: { major, minor, gitVersion }, api: discovery.api, apis: discovery.apis };
}
