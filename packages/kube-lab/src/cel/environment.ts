// SPDX-License-Identifier: Apache-2.0
import { Environment } from '@marcbachmann/cel-js';
import { registerLists } from './lists.ts';
import { registerNetwork } from './network.ts';
import { registerQuantity } from './quantity.ts';
import { registerStrings } from './strings.ts';

/** An expression that has been read and can be evaluated again and again. */
export type CelProgram = (variables: Readonly<Record<string, unknown>>) => unknown;

const options = {
  unlistedVariablesAreDyn: false,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
} as const;

/** The CEL of Kubernetes: the language with the functions its API server adds, and these variables. */
export function celEnvironment(variables: readonly string[]): Environment {
  const environment = base().clone();
  for (const name of variables) environment.registerVariable(name, 'dyn');
  return environment;
}

let shared: Environment | undefined;

function base(): Environment {
  if (shared) return shared;
  const environment = new Environment(options);
  registerStrings(environment);
  registerLists(environment);
  registerNetwork(environment);
  registerQuantity(environment);
  shared = environment;
  return environment;
}

/** What is wrong with an expression, in one line; undefined if it can be evaluated. */
export function celProblem(environment: Environment, expression: string): string | undefined {
  const { valid, error } = environment.check(expression);
  return valid ? undefined : firstLine(error?.message ?? 'invalid expression');
}

/** Reads an expression. Throws what the library throws; see `celProblem`. */
export function celProgram(environment: Environment, expression: string): CelProgram {
  const program = environment.parse(expression);
  return (variables) => program(variables);
}

/** The message of an evaluation's error, as Kubernetes begins it. */
export function celMessage(error: unknown): string {
  const text = firstLine(error instanceof Error ? error.message : String(error));
  return text
    .replace(/^No such key/, 'no such key')
    .replace(/^Unknown variable: (.*)$/, "undeclared reference to '$1'");
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

let durations: CelProgram | undefined;

/** A text such as `1h30m` as CEL's duration; undefined if it is none. */
export function celDuration(text: string): object | undefined {
  durations ??= celProgram(celEnvironment(['text']), 'duration(text)');
  try {
    return durations({ text }) as object;
  } catch {
    return undefined;
  }
}
