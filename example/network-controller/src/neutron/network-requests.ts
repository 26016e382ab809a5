// SPDX-License-Identifier: Apache-2.0
import type { FailurePlan } from './failure-plan.ts';
import type { NetworkSettings } from './neutron.ts';

/** All networks by name. */
export type NetworkTable = Map<string, NetworkSettings>;

export interface NeutronRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface NeutronAnswer {
  readonly status: number;
  readonly content: unknown;
}

/**
 * | request | what it does |
 * | --- | --- |
 * | `GET /networks` | all networks, by name |
 * | `POST /networks` `{"name": "a", "cidr": ..., "gateway": ...}` | creates one |
 * | `GET`, `PUT`, `DELETE /networks/a` | reads, changes, deletes one |
 * | `PUT /failures` `{"every": 3}` | makes every third call fail; 0 ends this |
 */
export function answerTo(request: NeutronRequest, networks: NetworkTable, failures: FailurePlan): NeutronAnswer {
  const [, collection = '', name] = request.path.split('/').map(decodeURIComponent);
  const body = parse(request.body);
  if (collection === 'failures' && request.method === 'PUT') return setFailures(body, failures);
  if (collection !== 'networks') return { status: 404, content: `there is no ${collection}` };
  if (name === undefined) return answerForAll(request.method, body, networks);
  return answerForOne(request.method, name, body, networks);
}

type Fields = Readonly<Record<string, unknown>>;

function answerForAll(method: string, body: Fields, networks: NetworkTable): NeutronAnswer {
  if (method === 'GET') return { status: 200, content: Object.fromEntries(networks) };
  if (method !== 'POST') return notAllowed(method);
  const { name } = body;
  const settings = settingsOf(body);
  if (typeof name !== 'string' || !settings) return invalid('name, cidr and gateway');
  if (networks.has(name)) return { status: 409, content: `there is a network ${name} already` };
  networks.set(name, settings);
  return { status: 201, content: settings };
}

function answerForOne(method: string, name: string, body: Fields, networks: NetworkTable): NeutronAnswer {
  const present = networks.get(name);
  if (!present) return { status: 404, content: `there is no network ${name}` };
  switch (method) {
    case 'GET':
      return { status: 200, content: present };
    case 'PUT': {
      const settings = settingsOf(body);
      if (!settings) return invalid('cidr and gateway');
      networks.set(name, settings);
      return { status: 200, content: settings };
    }
    case 'DELETE':
      networks.delete(name);
      return { status: 200, content: present };
    default:
      return notAllowed(method);
  }
}

function setFailures({ every }: Fields, failures: FailurePlan): NeutronAnswer {
  if (typeof every !== 'number' || !Number.isInteger(every) || every < 0) return invalid('every, a whole number');
  failures.failEvery(every);
  return { status: 200, content: { every } };
}

function settingsOf({ cidr, gateway }: Fields): NetworkSettings | undefined {
  return typeof cidr === 'string' && typeof gateway === 'string' ? { cidr, gateway } : undefined;
}

function invalid(needed: string): NeutronAnswer {
  return { status: 400, content: `the body must be a JSON object with ${needed}` };
}

function notAllowed(method: string): NeutronAnswer {
  return { status: 405, content: `${method} is not known here` };
}

function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}
