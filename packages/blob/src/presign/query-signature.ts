// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** The signature scheme: AWS's version 4, or Google's, which differs only in names. */
export interface QuerySigner {
  readonly algorithm: 'AWS4-HMAC-SHA256' | 'GOOG4-RSA-SHA256';
  readonly prefix: 'X-Amz' | 'X-Goog';
  /** The public ID of the signer. */
  readonly identity: string;
  /** The scope of the signature, in addition to the day. */
  readonly scope: readonly string[];
  /** The session token of temporary credentials. */
  readonly sessionToken?: string;
  /** The signature, hexadecimal. @param day such as 20130524 */
  readonly sign: (text: string, day: string) => string;
}

/**
 * A presigned URL for GET, valid from `now` (milliseconds since the epoch) for some seconds. The signature covers
 * method, host, path and time; the path must be percent-encoded as the service does it.
 */
export function signedUrl(url: URL, signer: QuerySigner, now: number, seconds: number): URL {
  const { algorithm, prefix, identity, sessionToken } = signer;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const scope = [day, ...signer.scope].join('/');
  const query = canonicalQuery({
    [`${prefix}-Algorithm`]: algorithm,
    [`${prefix}-Credential`]: `${identity}/${scope}`,
    [`${prefix}-Date`]: time,
    [`${prefix}-Expires`]: String(seconds),
    ...(sessionToken === undefined ? {} : { [`${prefix}-Security-Token`]: sessionToken }),
    [`${prefix}-SignedHeaders`]: 'host',
  });
  const request = ['GET', url.pathname, query, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const digest = createHash('sha256').update(request).digest('hex');
  const signature = signer.sign([algorithm, time, scope, digest].join('\n'), day);
  const signed = new URL(url);
  signed.search = `${query}&${prefix}-Signature=${signature}`;
  return signed;
}

/** A path with everything encoded except slashes and the unreserved characters of RFC 3986. */
export function encodedPath(path: string): string {
  return path.split('/').map(encoded).join('/');
}

function canonicalQuery(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.sort().join('&');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
