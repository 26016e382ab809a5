// SPDX-License-Identifier: Apache-2.0

/** A record of the lab's zone. Names are fully qualified, in lower case, without the final dot. */
export type DnsRecord =
  | { readonly type: 'A'; readonly name: string; readonly address: string }
  | { readonly type: 'PTR'; readonly name: string; readonly target: string }
  | { readonly type: 'CNAME'; readonly name: string; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly name: string;
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    };

/** `10.1.2.3` -> `3.2.1.10.in-addr.arpa`, the name of a reverse lookup. */
export function reverseName(address: string): string {
  return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
}
