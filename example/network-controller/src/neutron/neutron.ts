// SPDX-License-Identifier: Apache-2.0

/** A network as the network service has it: the actual state. */
export interface NetworkSettings {
  readonly cidr: string;
  readonly gateway: string;
}

/** The network service, as the controller needs it. Names are the keys of objects, `default/example-network`. */
export interface Neutron {
  /** The names of all networks there are, whoever made them. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined if there is none of that name. */
  get(name: string, signal: AbortSignal): Promise<NetworkSettings | undefined>;
  /** Fails with code `Conflict` if there is one already. */
  create(name: string, settings: NetworkSettings, signal: AbortSignal): Promise<void>;
  /** Fails with code `NotFound` if there is none. */
  update(name: string, settings: NetworkSettings, signal: AbortSignal): Promise<void>;
  /** It is fine if there is none. */
  delete(name: string, signal: AbortSignal): Promise<void>;
}

/** `Unavailable`: no answer, or one that says to try again; whether the call took effect is unknown. */
export type NeutronErrorCode = 'NotFound' | 'Conflict' | 'Invalid' | 'Unavailable';

/** The one error of the network service. */
export class NeutronError extends Error {
  readonly code: NeutronErrorCode;

  constructor(code: NeutronErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NeutronError';
    this.code = code;
  }
}
