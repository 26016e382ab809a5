// SPDX-License-Identifier: Apache-2.0

/** Flags of every program for metrics that require authorization. */
export const secureMetricsFlags = {
  'secure-metrics-addr': {
    kind: 'string',
    default: '',
    help: 'address that /metrics is served on instead of -listen-addr, over TLS and only to accounts that may get /metrics; example: 0.0.0.0:8443; if empty, /metrics is served on -listen-addr',
  },
  'secure-metrics-certificate': {
    kind: 'string',
    default: '',
    help: 'folder with tls.crt and tls.key for -secure-metrics-addr; renewed files are loaded without a restart',
  },
} as const;
