// SPDX-License-Identifier: Apache-2.0
import { type ControllerName, controllerNames } from '../controller-names.ts';
import { FlagError } from './go-flags.ts';

/** Parses `-controllers`: names separated by commas. */
export function chosenControllers(text: string): readonly ControllerName[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !controllerNames.some((name) => name === word));
  if (unknown !== undefined) {
    const known = controllerNames.join(', ');
    throw new FlagError(`invalid value "${text}" for flag -controllers: "${unknown}" is not one of ${known}`);
  }
  return controllerNames.filter((name) => words.includes(name));
}
