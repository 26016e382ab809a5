// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { Clock, Random } from '@operator-parts/ports';
import { asArray, asObject, asString, getIn, isObject, type JsonObject } from '../json/json.ts';
import type { Identity } from '../server/identity.ts';
import type { Store } from '../storage/store.ts';

/** The issuer of tokens, and their default audience. */
export const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';

/** What a token contains. */
export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The object to which the token is bound. */
  readonly boundObject?: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** A verified token. */
export type TokenCheck =
  | { readonly ok: true; readonly identity: Identity; readonly audiences: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Issues and verifies service account tokens: JSON web tokens, signed with a key of the server. */
export class ServiceAccountTokens {
  readonly #store: Pick<Store, 'get'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Random;
  #keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly id: string } | undefined;

  constructor(store: Pick<Store, 'get'>, clock: Pick<Clock, 'now'>, random: Random) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
  }

  /** A signed token and its expiry time. */
  issue(request: TokenRequest): { readonly token: string; readonly expires: number } {
    const { privateKey, id } = this.#keyPair();
    const now = Math.floor(this.#clock.now() / 1000);
    const expires = now + request.expirationSeconds;
    const { namespace, name, uid, boundObject } = request;
    const claims = {
      aud: [...request.audiences],
      exp: expires,
      iat: now,
      iss: tokenIssuer,
      jti: this.#random.uuid(),
      'kubernetes.io': {
        namespace,
        ...(boundObject ? { [boundObject.kind.toLowerCase()]: { name: boundObject.name, uid: boundObject.uid } } : {}),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const head = `${encode({ alg: 'ES256', kid: id })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(head), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { token: `${head}.${signature.toString('base64url')}`, expires: expires * 1000 };
  }

  /** The identity of a token, if it is valid now for one of the audiences. */
  check(token: string, audiences: readonly string[]): TokenCheck {
    const claims = this.#verified(token);
    if (!claims) return { ok: false, problem: 'invalid bearer token' };
    const now = Math.floor(this.#clock.now() / 1000);
    if (Number(claims['exp']) <= now) return { ok: false, problem: 'service account token has expired' };
    const given = asArray(claims['aud']).map(String);
    const common = audiences.filter((audience) => given.includes(audience));
    if (common.length === 0) {
      return {
        ok: false,
        problem: `token audiences ${JSON.stringify(given)} is invalid for the target audiences ${JSON.stringify(audiences)}`,
      };
    }
    const problem = this.#bindingProblem(asObject(claims['kubernetes.io']) ?? {});
    return problem ? { ok: false, problem } : { ok: true, identity: identityOf(claims), audiences: common };
  }

  #verified(token: string): JsonObject | undefined {
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0 || signature === '') return undefined;
    const key = { key: this.#keyPair().publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const bytes = Buffer.from(`${header}.${payload}`);
    if (!verify('sha256', bytes, key, Buffer.from(signature, 'base64url'))) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObject(claims) ? claims : undefined;
  }

  /** Tokens become invalid when their account, or the pod they are bound to, is deleted. */
  #bindingProblem(own: JsonObject): string | undefined {
    const namespace = asString(own['namespace']) ?? '';
    const isGone = (collection: string, reference: JsonObject | undefined) => {
      if (!reference) return false;
      const stored = this.#store.get(collection, `${namespace}/${String(reference['name'])}`);
      return !stored || getIn(stored.object, 'metadata', 'uid') !== reference['uid'];
    };
    if (isGone('serviceaccounts', asObject(own['serviceaccount']))) return 'service account token has been invalidated';
    if (isGone('pods', asObject(own['pod'])) || isGone('secrets', asObject(own['secret']))) {
      return 'service account token has been invalidated';
    }
    return undefined;
  }

  #keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly id: string } {
    if (this.#keys) return this.#keys;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const id = createHash('sha256').update(der).digest('base64url');
    this.#keys = { privateKey, publicKey, id };
    return this.#keys;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function identityOf(claims: JsonObject): Identity {
  const own = asObject(claims['kubernetes.io']) ?? {};
  const namespace = String(own['namespace']);
  const account = asObject(own['serviceaccount']) ?? {};
  const pod = asObject(own['pod']);
  return {
    user: String(claims['sub']),
    uid: String(account['uid']),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${String(claims['jti'])}`],
      ...(pod
        ? {
            'authentication.kubernetes.io/pod-name': [String(pod['name'])],
            'authentication.kubernetes.io/pod-uid': [String(pod['uid'])],
          }
        : {}),
    },
  };
}
