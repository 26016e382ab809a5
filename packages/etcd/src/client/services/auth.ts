// SPDX-License-Identifier: Apache-2.0
import type { Invoker, Method, RequestOptions } from '../invoker.ts';
import {
  type AuthStatusResponse,
  authenticateRequest,
  authenticateResponse,
  authStatusResponse,
  nameRequest,
  namesResponse,
  type Permission,
  roleGrantPermissionRequest,
  userAddRequest,
  userRoleRequest,
} from '../messages/auth-messages.ts';
import { emptyRequest, headerResponse } from '../messages/kv-messages.ts';
import type { Encodable } from '../wire/message.ts';

export const authenticateMethod = {
  name: 'Auth/Authenticate',
  request: authenticateRequest,
  response: authenticateResponse,
  mutating: false,
};

/** A changing call with an empty answer. */
function change<Request>(name: string, request: Method<Request, unknown>['request']) {
  return { name, request, response: headerResponse, mutating: true };
}

const statusMethod = {
  name: 'Auth/AuthStatus',
  request: emptyRequest,
  response: authStatusResponse,
  mutating: false,
  since: '3.5',
};
const enableMethod = change<Encodable<typeof emptyRequest>>('Auth/AuthEnable', emptyRequest);
const disableMethod = change<Encodable<typeof emptyRequest>>('Auth/AuthDisable', emptyRequest);
const userAddMethod = change('Auth/UserAdd', userAddRequest);
const userDeleteMethod = change('Auth/UserDelete', nameRequest);
const userGrantRoleMethod = change('Auth/UserGrantRole', userRoleRequest);
const userChangePasswordMethod = change('Auth/UserChangePassword', userAddRequest);
const roleAddMethod = change('Auth/RoleAdd', nameRequest);
const roleDeleteMethod = change('Auth/RoleDelete', nameRequest);
const roleGrantMethod = change('Auth/RoleGrantPermission', roleGrantPermissionRequest);
const userGetMethod = { name: 'Auth/UserGet', request: nameRequest, response: namesResponse, mutating: false };
const userListMethod = { name: 'Auth/UserList', request: emptyRequest, response: namesResponse, mutating: false };
const roleListMethod = { name: 'Auth/RoleList', request: emptyRequest, response: namesResponse, mutating: false };

/** etcd's authentication: users, roles, and the switch. */
export class Auth {
  readonly #invoker: Invoker;

  constructor(invoker: Invoker) {
    this.#invoker = invoker;
  }

  /**
   * Whether authentication is enabled. Available from 3.5 on. Before 3.7, the call requires a token if authentication
   * is enabled.
   */
  status(options?: RequestOptions): Promise<AuthStatusResponse> {
    return this.#invoker.call(statusMethod, {}, options);
  }

  /** Enables authentication. A user `root` with the role `root` must exist. */
  async enable(options?: RequestOptions): Promise<void> {
    await this.#invoker.call(enableMethod, {}, options);
  }

  async disable(options?: RequestOptions): Promise<void> {
    await this.#invoker.call(disableMethod, {}, options);
  }

  async userAdd(name: string, password: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(userAddMethod, { name, password }, options);
  }

  async userDelete(name: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(userDeleteMethod, { name }, options);
  }

  async userChangePassword(name: string, password: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(userChangePasswordMethod, { name, password }, options);
  }

  async userGrantRole(user: string, role: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(userGrantRoleMethod, { user, role }, options);
  }

  /** The roles of a user. */
  async userRoles(name: string, options?: RequestOptions): Promise<readonly string[]> {
    return (await this.#invoker.call(userGetMethod, { name }, options)).names;
  }

  async userList(options?: RequestOptions): Promise<readonly string[]> {
    return (await this.#invoker.call(userListMethod, {}, options)).names;
  }

  async roleAdd(name: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(roleAddMethod, { name }, options);
  }

  async roleDelete(name: string, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(roleDeleteMethod, { name }, options);
  }

  async roleList(options?: RequestOptions): Promise<readonly string[]> {
    return (await this.#invoker.call(roleListMethod, {}, options)).names;
  }

  async roleGrantPermission(name: string, permission: Permission, options?: RequestOptions): Promise<void> {
    await this.#invoker.call(roleGrantMethod, { name, permission }, options);
  }
}
