// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { portErrors, portNameErrors } from '../../validation/ports.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** The validation errors of a probe. */
export function validateProbe(probe: JsonObject, field: string, onlyOneSuccess: boolean): FieldError[] {
  const errors = validateHandler(probe, field);
  for (const key of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = asNumber(probe[key]) ?? 0;
    if (value < 0) errors.push(invalid(`${field}.${key}`, value, 'must be greater than or equal to 0'));
  }
  const successes = asNumber(probe['successThreshold']) ?? 1;
  if (onlyOneSuccess && successes !== 1) errors.push(invalid(`${field}.successThreshold`, successes, 'must be 1'));
  return errors;
}

/** The validation errors of the action of a probe or hook. */
export function validateHandler(handler: JsonObject, field: string): FieldError[] {
  const given = handlers.filter((name) => handler[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  const errors = given
    .slice(1)
    .map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'));
  const exec = asObject(handler['exec']);
  if (exec && asArray(exec['command']).length === 0) errors.push(required(`${field}.exec.command`));
  const http = asObject(handler['httpGet']);
  if (http) errors.push(...validateHttp(http, `${field}.httpGet`));
  const tcp = asObject(handler['tcpSocket']);
  if (tcp) errors.push(...validatePort(tcp['port'], `${field}.tcpSocket.port`));
  return errors;
}

const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function validateHttp(http: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!http['path']) errors.push(required(`${field}.path`));
  errors.push(...validatePort(http['port'], `${field}.port`));
  const scheme = asString(http['scheme']) ?? 'HTTP';
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') {
    const message = `Unsupported value: ${JSON.stringify(scheme)}: supported values: "HTTP", "HTTPS"`;
    errors.push({ reason: 'FieldValueNotSupported', field: `${field}.scheme`, message });
  }
  for (const { name } of asObjects(http['httpHeaders'])) {
    if (!/^[-A-Za-z0-9]+$/.test(String(name ?? ''))) {
      errors.push(invalid(`${field}.httpHeaders`, name ?? '', headerText));
    }
  }
  return errors;
}

/** The validation errors of a port given by number or name. */
export function validatePort(port: Json | undefined, field: string): FieldError[] {
  if (typeof port === 'string') return portNameErrors(port).map((detail) => invalid(field, port, detail));
  return portErrors(asNumber(port) ?? 0).map((detail) => invalid(field, port ?? 0, detail));
}
