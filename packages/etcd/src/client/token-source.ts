// SPDX-License-Identifier: Apache-2.0
import { isEtcdError } from './etcd-error.ts';

/** A user of etcd's authentication. */
export interface Login {
  readonly name: string;
  readonly password: string;
}

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Authenticates a user and resolves with the token. */
export type Authenticate = (login: Login, options: WaitOptions) => Promise<string>;

/**
 * Tokens for one member. Authenticates the user when the first call needs a token, and again when the member no longer
 * accepts the token, for example after its restart. If authentication is disabled, calls have no token. A learner
 * requires a token but cannot issue one: then a token of a voter is used, which all members accept.
 */
export class TokenSource {
  readonly #login: () => Login | undefined;
  readonly #authenticate: Authenticate;
  readonly #elsewhere: Authenticate | undefined;
  #token: Promise<string | undefined> | undefined;
  /** The user to whom the token belongs. Another user, or a changed password, needs a new token. */
  #owner: Login | undefined;

  /** @param elsewhere authenticates the user with another member, for a learner */
  constructor(login: () => Login | undefined, authenticate: Authenticate, elsewhere?: Authenticate) {
    this.#login = login;
    this.#authenticate = authenticate;
    this.#elsewhere = elsewhere;
  }

  /** The current token; undefined for none. */
  async current(options: WaitOptions): Promise<string | undefined> {
    const login = this.#login();
    if (!login) return undefined;
    if (login.name !== this.#owner?.name || login.password !== this.#owner.password) this.#token = undefined;
    this.#owner = login;
    const pending = this.#token ?? this.#obtain(login, options);
    this.#token = pending;
    try {
      return await pending;
    } catch (error) {
      if (this.#token === pending) this.#token = undefined;
      throw error;
    }
  }

  /**
   * Runs a call with the token. If the member refuses the token, the call is repeated once with a new one. This is
   * safe: the request was not processed.
   */
  async use<T>(options: WaitOptions, call: (token: string | undefined) => Promise<T>): Promise<T> {
    const token = await this.current(options);
    const used = this.#token;
    try {
      return await call(token);
    } catch (error) {
      if (!this.#login() || !isEtcdError(error, 'InvalidAuthToken', 'LoginRequired')) throw error;
      if (this.#token === used) this.#token = undefined;
    }
    return call(await this.current(options));
  }

  async #obtain(login: Login, options: WaitOptions): Promise<string | undefined> {
    try {
      return await this.#authenticate(login, options);
    } catch (error) {
      if (isEtcdError(error, 'AuthNotEnabled')) return undefined;
      if (!isEtcdError(error, 'NotSupportedForLearner') || !this.#elsewhere) throw error;
    }
    try {
      return await this.#elsewhere(login, options);
    } catch (error) {
      if (isEtcdError(error, 'AuthNotEnabled')) return undefined;
      throw error;
    }
  }
}
