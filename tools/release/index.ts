// SPDX-License-Identifier: Apache-2.0
/** What is released, for tests that use it. `npm run release` is main.ts. */
export { chart } from './chart.ts';
export { documentation } from './documentation.ts';
export { image } from './image.ts';
export { makeRelease } from './make-release.ts';
export { manifests } from './manifests.ts';
export { plugin } from './plugin.ts';
export { olderCRDs } from './verify/older-crds.ts';
