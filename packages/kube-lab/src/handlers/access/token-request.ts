// SPDX-License-Identifier: Apache-2.0
import { tokenIssuer } from '../../authn/service-account-tokens.ts';
import { asArray, asNumber, asObject, asString, getIn, isObject, type JsonObject } from '../../json/json.ts';
import { timestampOf } from '../../json/timestamp.ts';
import { storageKey } from '../../registry/served-resource.ts';
import { badRequest, conflict, methodNotAllowed, notFound } from '../../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import { invalid, invalidObject } from '../../validation/field-error.ts';
import { parseJsonText } from '../object-body.ts';

const defaultSeconds = 3600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;

/** POST to `serviceaccounts/token`: issues a token for an account. */
export function requestToken(call: Call): ApiResponse {
  const { core, info, resource } = call;
  if (info.verb !== 'create') throw methodNotAllowed();
  const stored = core.store.get('serviceaccounts', storageKey(resource, info.namespace, info.name));
  if (!stored) throw notFound(resource, info.name);
  const parsed = parseJsonText(call.request.body || '{}');
  const spec = asObject((isObject(parsed) ? parsed : {})['spec']) ?? {};
  const expirationSeconds = checkedSeconds(spec);
  const wanted = asArray(spec['audiences']).map(String);
  const audiences = wanted.length > 0 ? wanted : [tokenIssuer];
  const boundObject = boundOf(call, asObject(spec['boundObjectRef']));
  const { token, expires } = core.tokens.issue({
    namespace: info.namespace,
    name: info.name,
    uid: String(getIn(stored.object, 'metadata', 'uid')),
    audiences,
    expirationSeconds,
    ...(boundObject ? { boundObject } : {}),
  });
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: info.name, namespace: info.namespace, creationTimestamp: timestampOf(core.clock.now()) },
    spec: { audiences, expirationSeconds, boundObjectRef: asObject(spec['boundObjectRef']) ?? null },
    status: { token, expirationTimestamp: timestampOf(expires) },
  };
  return jsonResponse(201, JSON.stringify(answer));
}

function checkedSeconds(spec: JsonObject): number {
  const seconds = asNumber(spec['expirationSeconds']) ?? defaultSeconds;
  const field = 'spec.expirationSeconds';
  const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
  if (seconds < leastSeconds) {
    throw invalidObject(kind, '', [invalid(field, seconds, 'may not specify a duration less than 10 minutes')]);
  }
  if (seconds > mostSeconds) {
    throw invalidObject(kind, '', [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]);
  }
  return seconds;
}

function boundOf(
  { core, info }: Call,
  reference: JsonObject | undefined,
): { readonly kind: string; readonly name: string; readonly uid: string } | undefined {
  if (!reference) return undefined;
  const kind = asString(reference['kind']) ?? '';
  const name = asString(reference['name']) ?? '';
  if (kind !== 'Pod' && kind !== 'Secret') throw badRequest(`cannot bind token for serviceaccount to type ${kind}`);
  const plural = kind === 'Pod' ? 'pods' : 'secrets';
  const stored = core.store.get(plural, `${info.namespace}/${name}`);
  if (!stored) throw notFound({ group: '', plural }, name);
  const uid = String(getIn(stored.object, 'metadata', 'uid'));
  const given = asString(reference['uid']) ?? '';
  if (given !== '' && given !== uid) {
    const why = `the UID in the bound object reference (${given}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural }, name, why);
  }
  return { kind, name, uid };
}
