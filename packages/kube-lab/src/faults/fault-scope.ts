// SPDX-License-Identifier: Apache-2.0
import type { Verb } from '../server/request-info.ts';

/** The requests that a fault applies to. A missing field matches everything. */
export interface FaultScope {
  /** The `client` of the identity, else the program's name in the user agent, else the user. */
  readonly client?: string | RegExp;
  readonly verb?: Verb | readonly Verb[];
  /** `pods` or `deployments.apps`. */
  readonly resource?: string | readonly string[];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string | RegExp;
}

/** The attributes of a request that a scope is compared with. */
export interface FaultTarget {
  readonly client: string;
  readonly verb: string;
  /** `pods` or `deployments.apps`; empty for requests without a resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** True if a scope matches a request. */
export function inScope(scope: FaultScope, target: FaultTarget): boolean {
  return (
    matchesText(scope.client, target.client) &&
    matchesOne(scope.verb, target.verb) &&
    matchesOne(scope.resource, target.resource) &&
    (scope.subresource === undefined || scope.subresource === target.subresource) &&
    (scope.namespace === undefined || scope.namespace === target.namespace) &&
    matchesText(scope.name, target.name)
  );
}

function matchesText(wanted: string | RegExp | undefined, actual: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted === actual : wanted.test(actual);
}

function matchesOne(wanted: string | readonly string[] | undefined, actual: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted === actual : wanted.includes(actual);
}
