/**
 * What we use of `node:http`. Importing the module itself would also load the client of its web APIs, which costs every
 * start 40 ms and every process 15 MB.
 */
export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http')
