// SPDX-License-Identifier: Apache-2.0
/** Runs inside a pod's network: connects to a port on loopback, passes the socket to its parent, and ends. */
import { connect } from 'node:net';

const socket = connect({ host: '127.0.0.1', port: Number(process.argv[2]) });
socket.pause();
socket.on('error', (error) => process.send?.({ error: error.message }));
socket.on('connect', () => process.send?.({}, socket));
process.on('disconnect', () => process.exit(0));
