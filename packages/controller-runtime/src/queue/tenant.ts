// SPDX-License-Identifier: Apache-2.0
import { none } from './key-index.ts';

/** The keys of one tenant that wait in one lane, from first to last, and its neighbours in that lane. */
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

/** The owner of keys, usually a namespace. Tenants take turns. */
export class Tenant {
  readonly name: string;
  /** One per lane. */
  readonly lines: readonly [TenantLine, TenantLine, TenantLine];
  /** How many of its keys are being processed. */
  underWay = 0;

  constructor(name: string) {
    this.name = name;
    this.lines = [new TenantLine(this), new TenantLine(this), new TenantLine(this)];
  }
}
