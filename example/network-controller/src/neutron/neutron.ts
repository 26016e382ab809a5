// SPDX-License-Identifier: Apache-2.0

/** A network in the network service: the actual state. */
export interface NetworkSettings {
  readonly cidr: string;
  readonly gateway: string;
}

/**
 * The interface of the network service that the controller needs. Names are the keys of objects,
 * `default/example-network`.
 */
export interface Neutron {
  /** The names of all networks, including those created by others. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined if there is no network with that name. */
  get(name: string, signal: AbortSignal): Promise<NetworkSettings | undefined>;
  /** Fails with code `Conflict` if it exists already. */
  create(name: string, settings: NetworkSettings, signal: AbortSignal): Promise<void>;
  /** Fails with code `NotFound` if it does not exist. */
  update(name: string, settings: NetworkSettings, signal: AbortSignal): Promise<void>;
  /** Succeeds if it does not exist. */
  delete(name: string, signal: AbortSignal): Promise<void>;
}

/** `Unavailable`: no answer, or one that requests a retry; it is unknown whether the call took effect. */
export type NeutronErrorCode = 'NotFound' | 'Conflict' | 'Invalid' | 'Unavailable';

/** The only error class of the network service. */
export class NeutronError extends Error {
  readonly code: NeutronErrorCode;

  constructor(code: NeutronErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NeutronError';
    this.code = code;
  }
}
