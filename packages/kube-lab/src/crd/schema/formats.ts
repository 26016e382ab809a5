// SPDX-License-Identifier: Apache-2.0
import { isIP, isIPv4, isIPv6 } from 'node:net';

const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const goDuration = /^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
const isoDuration =
  /^(\d+(\.\d+)?|\.\d+)\s*(w|wk|week|weeks|d|day|days|h|hr|hour|hours|m|min|minute|minutes|s|sec|second|seconds|ms|milli|us|micro|ns|nano)s?$/i;

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

/** The checks of the formats that Kubernetes enforces. Other formats are not checked. */
const checks: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) => dateTime.test(value) && !Number.isNaN(Date.parse(value.replace(' ', 'T'))),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => goDuration.test(value) || value === '0' || isoDuration.test(value),
  email: (value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value),
  hostname: (value) =>
    value.length <= 255 &&
    /^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/.test(value),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: (value) => /^([0-9A-Fa-f]{2}[:-]){5,7}[0-9A-Fa-f]{2}$/.test(value),
  uri: (value) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(value) || value.startsWith('/'),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  uuid3: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  uuid4: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(value),
  uuid5: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(value),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  isbn10: (value) => /^\d{9}[\dX]$/.test(value.replace(/[- ]/g, '')),
  isbn13: (value) => /^97[89]\d{10}$/.test(value.replace(/[- ]/g, '')),
  creditcard: (value) => /^\d{13,19}$/.test(value.replace(/[- ]/g, '')),
  ssn: (value) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(value),
  hexcolor: (value) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(value),
  rgbcolor: (value) => /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/.test(value),
};

/** False if the value violates a format that is checked. */
export function hasFormat(format: string, value: string): boolean {
  return checks[format]?.(value) ?? true;
}
