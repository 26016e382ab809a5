// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { ipErrors } from '../../validation/addresses.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { subdomainErrors } from '../../validation/names.ts';

const maxServers = 3;

/** The validation errors of a pod's DNS settings. */
export function validateDns(spec: JsonObject, field: string): FieldError[] {
  const config = asObject(spec['dnsConfig']);
  const place = `${field}.dnsConfig`;
  const servers = asArray(config?.['nameservers']).map(String);
  if (spec['dnsPolicy'] === 'None') {
    if (!config) return [required(place, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${place}.nameservers`, detail)];
    }
  }
  const errors: FieldError[] = [];
  if (servers.length > maxServers) {
    errors.push(invalid(`${place}.nameservers`, servers, `must not have more than ${maxServers} nameservers`));
  }
  for (const [index, server] of servers.entries()) {
    errors.push(...ipErrors(server).map((detail) => invalid(`${place}.nameservers[${index}]`, server, detail)));
  }
  for (const [index, option] of asObjects(config?.['options']).entries()) {
    if (!option['name']) errors.push(required(`${place}.options[${index}]`, 'must not be empty'));
  }
  return errors;
}

/** The validation errors of host aliases. */
export function validateHostAliases(aliases: readonly JsonObject[], field: string): FieldError[] {
  return aliases.flatMap((alias, index) => {
    const place = `${field}[${index}]`;
    const address = asString(alias['ip']) ?? '';
    return [
      ...ipErrors(address).map((detail) => invalid(`${place}.ip`, address, detail)),
      ...asArray(alias['hostnames']).flatMap((name, at) =>
        subdomainErrors(String(name)).map((detail) => invalid(`${place}.hostnames[${at}]`, name, detail)),
      ),
    ];
  });
}
