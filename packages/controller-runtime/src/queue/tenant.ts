// SPDX-License-Identifier: Apache-2.0
import { none } from './key-index.ts';

/** The keys of one tenant that wait in one lane, from the first to the last, and its neighbours in that lane's round. */
export class TenantLine {
  readonly tenant: Tenant;
  first = none;
  last = none;
  next: TenantLine | undefined;
  previous: TenantLine | undefined;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }
}

/** Those whose keys take turns with the keys of others, usually a namespace. */
export class Tenant {
  readonly name: string;
  /** One for each lane. */
  readonly lines: readonly [TenantLine, TenantLine, TenantLine];
  /** How many of its keys are processed. */
  underWay = 0;

  constructor(name: string) {
    this.name = name;
    this.lines = [new TenantLine(this), new TenantLine(this), new TenantLine(this)];
  }
}
