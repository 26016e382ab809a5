// SPDX-License-Identifier: Apache-2.0

/** The controllers that one process can run, named after the kind that they manage. */
export const controllerNames = ['cluster', 'backup', 'restore'] as const;
export type ControllerName = (typeof controllerNames)[number];
