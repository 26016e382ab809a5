// SPDX-License-Identifier: Apache-2.0
/**
 * The download of a restore by hand: a separate program that only downloads a URL, given on standard input, into a file, given as its
 * argument.
 */
import { open } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WriteBehind } from '../../write-behind.ts';

const [, , file = ''] = process.argv;
const url = (await text(process.stdin)).trim();
const handle = await open(file, 'w');
const response = await new Promise<IncomingMessage>((resolve, reject) => get(url, resolve).once('error', reject));
if (response.statusCode !== 200) throw new Error(`the backup store answered ${response.statusCode}`);
const behind = new WriteBehind(handle);
for await (const piece of response as AsyncIterable<Buffer>) await behind.write(piece);
await behind.finish();
await handle.close();
