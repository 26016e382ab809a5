// SPDX-License-Identifier: Apache-2.0
export { type Block, blocksIn, blocksOf, type Exchange, exchangesOf } from './blocks.ts';
