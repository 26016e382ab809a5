// SPDX-License-Identifier: Apache-2.0
import type { Asked, Behaviour, Told } from './behaviour.ts';

const header = 'x-oss-server-side-encryption';
const keyHeader = `${header}-key-id`;
const algorithms = ['AES256', 'SM4', 'KMS'];

/**
 * Server-side encryption of OSS, which versitygw does not support. PutObject and InitiateMultipartUpload accept its
 * header, other requests do not; unknown algorithms are refused; a key requires KMS and must not be empty. Answers to
 * these requests, to parts, to the end of an upload and to HEAD contain the header.
 */
export class OssEncryption {
  /** The encryption of each object, by path. */
  readonly kept = new Map<string, Readonly<Record<string, string>>>();

  readonly behave: Behaviour = async (asked, pass) => {
    const refused = refusalOf(asked);
    if (refused) return refused;
    const { method, url, headers } = asked;
    const path = url.pathname;
    if (begins(asked)) {
      const algorithm = headers[header];
      const key = headers[keyHeader];
      if (algorithm === undefined) this.kept.delete(path);
      else this.kept.set(path, { [header]: String(algorithm), ...(key && { [keyHeader]: String(key) }) });
    }
    const answer = await pass();
    const isTold = answer.status < 300 && method !== 'DELETE' && path !== '/';
    return isTold ? { ...answer, headers: { ...answer.headers, ...this.kept.get(path) } } : answer;
  };
}

/** True if a request creates an object, or a multipart upload. */
function begins({ method, url: { searchParams: query } }: Asked): boolean {
  return (method === 'PUT' && !query.has('uploadId')) || (method === 'POST' && query.has('uploads'));
}

function refusalOf(asked: Asked): Told | undefined {
  const { headers } = asked;
  const algorithm = headers[header];
  const key = headers[keyHeader];
  if (algorithm === undefined && key === undefined) return undefined;
  if (!begins(asked)) return refusal('InvalidArgument', `${header} header is not supported for this operation.`);
  if (!algorithms.includes(String(algorithm)))
    return refusal('InvalidEncryptionAlgorithmError', 'The encryption request you specified is not valid.');
  if (key !== undefined && (key === '' || algorithm !== 'KMS'))
    return refusal('InvalidArgument', `${keyHeader} header is not valid.`);
  return undefined;
}

function refusal(code: string, message: string): Told {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status: 400, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
}
