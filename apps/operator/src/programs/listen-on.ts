// SPDX-License-Identifier: Apache-2.0
import { FlagError } from './go-flags.ts';

/**
 * Parses an address such as `0.0.0.0:8080`, `:8080` or `[::]:8080`. As in Go programs, these three mean all addresses of both IP families.
 */
export function listenOn(flag: string, address: string): { readonly port: number; readonly host?: string } {
  const match = /^(.*):(\d{1,5})$/.exec(address);
  const port = Number(match?.[2]);
  if (!match || port > 65_535)
    throw new FlagError(`invalid value "${address}" for flag -${flag}: use host:port, for example 0.0.0.0:8080`);
  const host = (match[1] ?? '').replace(/^\[(.*)\]$/, '$1');
  return ['', '0.0.0.0', '::'].includes(host) ? { port } : { port, host };
}
